// SPDX-License-Identifier: Apache-2.0
#include "engine/job_news.h"

#include <utility>

#include "ranks/ranks.h"

namespace fredsim {
namespace {

void put(const CollectiveJob::News& news, RankMessage& message) {
  message.put(news.flits);
  message.put(news.bytes);
  message.put_all(news.parts);
  message.put_all(news.completed);
}

CollectiveJob::News get_news(RankMessage& message) {
  CollectiveJob::News news;
  news.flits = message.get<std::uint64_t>();
  news.bytes = message.get<std::uint64_t>();
  message.get_all(news.parts);
  message.get_all(news.completed);
  return news;
}

}  // namespace

void JobNews::start() {
  core_.on_exchange([this](RankMessage& message) { publish(message); },
                    [this](RankMessage& message) {
                      collect(message);
                      has_exchanged_ = true;
                    });
}

void JobNews::exchange() {
  Ranks* const ranks = core_.ranks();
  if (ranks == nullptr || std::exchange(has_exchanged_, false) || jobs_().empty()) return;
  RankMessage mine;
  publish(mine);
  std::vector<RankMessage> all = ranks->gather(Ranks::Purpose::kProgress, std::move(mine));
  for (int of = 0; of < ranks->size(); ++of)
    if (of != ranks->rank()) collect(all[static_cast<std::size_t>(of)]);
}

// Merges this process's completions with those of all processes, like the ones received.
void JobNews::publish(RankMessage& message) const {
  const std::vector<CollectiveJob*> jobs = jobs_();
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const CollectiveJob::News news = jobs[j]->take_news();
    if (news.empty()) continue;
    message.put(static_cast<std::uint64_t>(j));
    put(news, message);
    jobs[j]->add_completed(news);
  }
}

void JobNews::collect(RankMessage& message) {
  const std::vector<CollectiveJob*> jobs = jobs_();
  while (!message.is_read()) {
    CollectiveJob& job = *jobs.at(message.get<std::uint64_t>());
    const CollectiveJob::News news = get_news(message);
    job.add_counts(news);
    job.add_completed(news);
  }
}

}  // namespace fredsim
