#include "server/under_way.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

/// Of a thousand requests that wait for one disk, a few say it all.
constexpr size_t kMostLines = 10;

double seconds(MonoTime span) { return std::chrono::duration<double>(span).count(); }

std::string at_work(const Committer& committer, MonoTime now) {
  switch (committer.at) {
    case Committer::At::Disk:
      return fmt::format("revisions up to {} have been on their way to the disk for {:.0f} s",
                         committer.upto, seconds(now - committer.since));
    case Committer::At::Listeners:
      return fmt::format(
          "watches and replies that wait for revisions up to {} have been notified for {:.0f} s",
          committer.upto, seconds(now - committer.since));
    case Committer::At::Rest:
      break;
  }
  return fmt::format("nothing is being committed, the last were revisions up to {}",
                     committer.upto);
}

}  // namespace

UnderWay::Entry::Entry(UnderWay& all, const net::Request& asked, MonoTime begun)
    : all_(all), asked_(asked), patience_(begun) {
  const Lock lock(all_.mutex_);
  before_ = all_.last_;
  (before_ != nullptr ? before_->after_ : all_.first_) = this;
  all_.last_ = this;
}

UnderWay::Entry::~Entry() {
  const Lock lock(all_.mutex_);
  (before_ != nullptr ? before_->after_ : all_.first_) = after_;
  (after_ != nullptr ? after_->before_ : all_.last_) = before_;
}

std::string UnderWay::Entry::text(MonoTime now, const Committer& committer) const {
  const std::string* const user = user_.load();
  // Without the query: a command that is to run in a pod may hold a secret.
  std::string out =
      fmt::format("{} {} by {} has had no answer for {:.0f} s: ", asked_.method,
                  std::string_view(asked_.target).substr(0, asked_.target.find('?')),
                  user != nullptr ? holdfast::quoted(*user) : "a client without a user yet",
                  seconds(now - patience_.begun()));
  switch (stage_.load()) {
    case Stage::Decision:
      return out + "it is being decided";
    case Stage::Node:
      return out + "the pod's node has been asked";
    case Stage::Disk:
      break;
  }
  return out +
         fmt::format("revision {} is not durable; {}", revision_.load(), at_work(committer, now));
}

std::vector<std::string> UnderWay::overdue(MonoTime now, const Committer& committer) {
  std::vector<std::string> lines;
  size_t more = 0;
  const Lock lock(mutex_);
  for (Entry* at = first_; at != nullptr; at = at->after_) {
    if (!at->patience_.over(now)) continue;
    if (lines.size() < kMostLines)
      lines.push_back(at->text(now, committer));
    else
      ++more;
  }
  if (more > 0) lines.push_back(fmt::format("{} more requests have had no answer for long", more));
  return lines;
}

UnderWay::Count UnderWay::count() const {
  Count out;
  const Lock lock(mutex_);
  for (const Entry* at = first_; at != nullptr; at = at->after_)
    ++(at->asked_.method == "GET" || at->asked_.method == "HEAD" ? out.read_only : out.mutating);
  return out;
}

}  // namespace holdfast::apiserver
