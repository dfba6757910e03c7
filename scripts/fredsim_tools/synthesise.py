# SPDX-License-Identifier: Apache-2.0
"""Schedules for a network by two greedy synthesisers: python3 -m fredsim_tools.synthesise NETWORK > schedule.json, in scripts/.

NETWORK is WxH, a mesh, or a machine file of type graph whose links are between NPUs. The schedule is an all-gather, or with --collective
all_reduce a reduce-scatter and an all-gather, which is its mirror image: sums go the way that the results of another all-gather came.
Time is expanded: a link is busy for the time of a chunk, chunk bytes over its bandwidth, in the units of the fastest link.
matching (as TACOS, Won et al., MICRO 2024): whenever a link is free it takes a chunk that its sender has and its receiver lacks, of those the
chunk that the fewest ranks have; ties at random. The best of --tries seeds counts.
paths (as PCCL, Won et al., 2025): chunk by chunk, a tree grows by the hop that arrives first on the links that earlier chunks have left free.
"""

import argparse
import heapq
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import]

Hop = tuple[int, int]
Tree = list[Hop]  # hops away from the owner, in the order of their times


@dataclass(frozen=True)
class Network:
    ranks: int
    links: dict[Hop, float]  # time of a chunk, by sender and receiver

    def next_of(self, rank: int) -> list[int]:
        return [to for sender, to in self.links if sender == rank]


def mesh(width: int, height: int) -> Network:
    links: dict[Hop, float] = {}
    for rank in range(width * height):
        x, y = rank % width, rank // width
        for right, down in ((1, 0), (0, 1)):
            if x + right < width and y + down < height:
                other = rank + right + down * width
                links[rank, other] = links[other, rank] = 1.0
    return Network(width * height, links)


def graph(path: Path) -> Network:
    machine = yaml.safe_load(path.read_text())
    rates: dict[Hop, float] = defaultdict(float)
    names: dict[str, int] = {}
    for node in machine["fabric"]["nodes"]:
        for k in range(node.get("count", 1)):
            names[node["name"] + (str(k) if "count" in node else "")] = len(names)
    for link in machine["fabric"]["links"]:
        rate = float(str(link["bandwidth"]).split()[0])
        rates[names[link["from"]], names[link["to"]]] += rate
        rates[names[link["to"]], names[link["from"]]] += rate
    fastest = max(rates.values())
    return Network(len(names), {hop: fastest / rate for hop, rate in rates.items()})


def matching(network: Network, chunks: int, seed: int) -> tuple[float, list[Tree]]:
    """Trees by chunk, `chunks` for each owner, and the time of the last arrival."""
    dice = random.Random(seed)
    total = network.ranks * chunks
    holds = [set(range(rank * chunks, (rank + 1) * chunks)) for rank in range(network.ranks)]
    coming: list[set[int]] = [set(own) for own in holds]  # held, or on its way
    copies = [1] * total
    trees: list[Tree] = [[] for _ in range(total)]
    free = set(network.links)
    events: list[tuple[float, int, Hop, int]] = []
    now, number = 0.0, 0
    while True:
        waiting = sorted(free, key=lambda hop: (network.links[hop], dice.random()))
        for hop in waiting:
            sender, receiver = hop
            useful = holds[sender] - coming[receiver]
            if not useful:
                continue
            chunk = min(sorted(useful), key=lambda c: (copies[c], dice.random()))
            coming[receiver].add(chunk)
            copies[chunk] += 1
            trees[chunk].append(hop)
            free.discard(hop)
            number += 1
            heapq.heappush(events, (now + network.links[hop], number, hop, chunk))
        if not events:
            return now, trees
        now = events[0][0]
        while events and events[0][0] <= now:
            _, _, hop, chunk = heapq.heappop(events)
            holds[hop[1]].add(chunk)
            free.add(hop)


def paths(network: Network, chunks: int, seed: int) -> tuple[float, list[Tree]]:
    dice = random.Random(seed)
    busy: dict[Hop, list[tuple[float, float]]] = {hop: [] for hop in network.links}
    trees: list[Tree] = [[] for _ in range(network.ranks * chunks)]
    last = 0.0

    def slot(hop: Hop, ready: float) -> float:
        """First time from `ready` at which the link is free for a chunk."""
        start = ready
        for begin, end in busy[hop]:
            if start + network.links[hop] <= begin:
                break
            start = max(start, end)
        return start

    for part in range(chunks):
        owners = list(range(network.ranks))
        dice.shuffle(owners)
        for owner in owners:
            ready = {owner: 0.0}
            while len(ready) < network.ranks:
                options = []
                for hop, time in network.links.items():
                    if hop[0] in ready and hop[1] not in ready:
                        start = slot(hop, ready[hop[0]])
                        options.append((start + time, len(busy[hop]), dice.random(), start, hop))
                arrival, _, _, start, hop = min(options)
                busy[hop] = sorted([*busy[hop], (start, arrival)])
                ready[hop[1]] = arrival
                trees[owner * chunks + part].append(hop)
            last = max(last, *ready.values())
    return last, trees


SYNTHESISERS = {"matching": matching, "paths": paths}


def best_of(name: str, network: Network, chunks: int, tries: int) -> tuple[float, list[Tree]]:
    return min((SYNTHESISERS[name](network, chunks, seed) for seed in range(tries)), key=lambda found: found[0])


def schedule(collective: str, network: Network, chunks: int, trees: Sequence[Tree]) -> dict[str, object]:
    flows = []
    for chunk, tree in enumerate(trees):
        flow: dict[str, object] = {}
        if collective == "all_reduce":
            flow["share"] = [chunk, chunk + 1, len(trees)]
            flow["sums"] = [[receiver, sender] for sender, receiver in reversed(tree)]
        else:
            flow["block"] = chunk // chunks
            flow["share"] = [chunk % chunks, chunk % chunks + 1, chunks]
        flow["results"] = [list(hop) for hop in tree]
        flows.append(flow)
    return {"fredsim_schedule": 1, "collective": collective, "ranks": network.ranks, "flows": flows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="WxH, or a machine file of type graph")
    parser.add_argument("--synthesiser", choices=sorted(SYNTHESISERS), default="matching")
    parser.add_argument("--collective", choices=["all_gather", "all_reduce"], default="all_reduce")
    parser.add_argument("--chunks", type=int, default=4, help="of each rank's block (default 4)")
    parser.add_argument("--tries", type=int, default=20, help="seeds, of which the best counts (default 20)")
    asked = parser.parse_args()
    width, by, height = asked.network.partition("x")
    is_mesh = by and width.isdigit() and height.isdigit()
    network = mesh(int(width), int(height)) if is_mesh else graph(Path(asked.network))
    time, trees = best_of(asked.synthesiser, network, asked.chunks, asked.tries)
    least = network.ranks - 1
    into: dict[int, float] = defaultdict(float)
    for (_, receiver), link in network.links.items():
        into[receiver] += 1 / link
    bound = max(least * asked.chunks / rate for rate in into.values())
    print(f"all-gather: {time:g} times of a chunk; links into a rank need {bound:g}", file=sys.stderr)
    found = schedule(asked.collective, network, asked.chunks, trees)
    flows = found.pop("flows")
    assert isinstance(flows, list)
    head = json.dumps(found)[:-1]
    print(head + ', "flows": [\n ' + ",\n ".join(json.dumps(flow) for flow in flows) + "\n]}")


if __name__ == "__main__":
    main()
