// SPDX-License-Identifier: Apache-2.0
// Flows against SimGrid, whose solver of max-min fair rates is independent of fredsim's: end times
// of sends on random networks.
//
// simgrid_test [SEED]: 200 networks, from this seed (1) on, each disconnected from the other ones
// in one platform. Model CM02 without latency, TCP window, cross traffic and bandwidth factors, so
// that sends share links evenly; the sends of a network begin at random times. Exit code 1, and the
// seed, if a relative difference of times exceeds 1e-9.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "flow/flow_simulation.h"

namespace {

using fredsim::FlowSimulation;
using fredsim::LinkUse;
namespace sg = simgrid::s4u;

constexpr int kNetworks = 200;
constexpr double kExact = 1e-9;

struct Transfer {
  double start = 0;
  double bytes = 0;
  std::vector<int> links;
  double end = 0, simgrid_end = 0;
};

struct Network {
  std::vector<double> bandwidths;
  std::vector<Transfer> transfers;
};

Network random_network(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int min, int max) {
    return std::uniform_int_distribution<int>(min, max)(random);
  };
  Network network;
  network.bandwidths.resize(pick(2, 20));
  for (double& bandwidth : network.bandwidths) bandwidth = pick(1, 1000) * 1e6;
  network.transfers.resize(pick(1, 40));
  for (Transfer& transfer : network.transfers) {
    transfer.start = pick(0, 3) * 0.5;
    transfer.bytes = pick(1, 1000) * 1e6;
    for (int link = 0; link < std::ssize(network.bandwidths); ++link)
      if (pick(0, 3) == 0) transfer.links.push_back(link);
    if (transfer.links.empty()) transfer.links.push_back(0);
  }
  return network;
}

void run_ours(Network& network) {
  FlowSimulation simulation(network.bandwidths);
  std::vector<Transfer*> by_flow;
  simulation.on_end([&](FlowSimulation::Flow flow) { by_flow[flow]->end = simulation.now(); });
  for (Transfer& transfer : network.transfers) {
    simulation.call_at(transfer.start, [&] {
      std::vector<LinkUse> uses;
      for (const int link : transfer.links) uses.push_back({link, 1});
      by_flow.push_back(&transfer);
      simulation.begin({0, 1, uses}, transfer.bytes);
    });
  }
  simulation.run();
}

// A pair of hosts per transfer, whose route is its links.
void add_to(sg::NetZone& zone, Network& network, const std::string& name) {
  std::vector<sg::Link*> links;
  for (std::size_t l = 0; l < network.bandwidths.size(); ++l)
    links.push_back(zone.create_link(fmt::format("{}_l{}", name, l), network.bandwidths[l])
                        ->set_latency(0)
                        ->seal());
  for (std::size_t t = 0; t < network.transfers.size(); ++t) {
    Transfer& transfer = network.transfers[t];
    sg::Host* const from = zone.create_host(fmt::format("{}_a{}", name, t), 1e9)->seal();
    sg::Host* const to = zone.create_host(fmt::format("{}_b{}", name, t), 1e9)->seal();
    std::vector<sg::LinkInRoute> route;
    for (const int link : transfer.links) route.emplace_back(links[link]);
    zone.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    sg::Actor::create(fmt::format("{}_{}", name, t), from, [&transfer, from, to] {
      sg::this_actor::sleep_until(transfer.start);
      sg::Comm::sendto_init(from, to)
          ->set_payload_size(static_cast<std::uint64_t>(transfer.bytes))
          ->wait();
      transfer.simgrid_end = sg::Engine::get_clock();
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned first = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  std::string program = argv[0];
  char* words[] = {program.data(), nullptr};
  int word_count = 1;
  sg::Engine engine(&word_count, words);
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "network/weight-S:0",
        "maxmin/precision:1e-13", "surf/precision:1e-13"})
    sg::Engine::set_config(setting);
  sg::NetZone* const zone = sg::create_full_zone("networks");
  std::vector<Network> networks;
  for (int n = 0; n < kNetworks; ++n) networks.push_back(random_network(first + n));
  for (int n = 0; n < kNetworks; ++n) {
    run_ours(networks[n]);
    add_to(*zone, networks[n], fmt::format("n{}", n));
  }
  zone->seal();
  engine.run();

  int transfers = 0;
  double worst = 0;
  for (int n = 0; n < kNetworks; ++n) {
    for (const Transfer& transfer : networks[n].transfers) {
      ++transfers;
      const double difference = std::abs(transfer.end / transfer.simgrid_end - 1);
      worst = std::max(worst, difference);
      if (difference <= kExact) continue;
      fmt::print(
          "seed {}: a transfer of {} bytes from {} s on ends at {} s, with SimGrid at {} s\n",
          first + n, transfer.bytes, transfer.start, transfer.end, transfer.simgrid_end);
      return 1;
    }
  }
  fmt::print("{} transfers in {} networks, largest difference {:.1e}\n", transfers, kNetworks,
             worst);
  return transfers > kNetworks ? 0 : 1;
}
