/// History of the engine: lists at a revision, changes since one, and dropping what is too old.
#include <holdfast/base/log.h>

#include "store/engine.h"
#include "store/past.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::storage {
namespace {

/// A step holds up commits for as long as it takes to remove this many rows: a few milliseconds.
constexpr size_t kCompactRows = 128;

}  // namespace

Result<void> Engine::check_kept(Revision revision) const {
  if (revision >= oldest_) return ok();
  return Error(Fault::NotFound,
               fmt::format("revision {} is compacted, the oldest is {}", revision, oldest_));
}

Result<Page> Engine::list(const Range& range) const {
  std::optional<Past> past;
  Revision in_log = 0;
  {
    Lock lock(mutex_);
    if (range.at > current_)
      return Error(Fault::Invalid,
                   fmt::format("revision {} lies in the future, now is {}", range.at, current_));
    if (range.at != 0) {
      HF_TRY(check_kept(range.at));
    }
    const Collection* resource = state_.find(range.resource);
    const Revision dropped = state_.dropped(range.resource);
    const Revision at = range.at == 0 ? current_ : range.at;
    const bool changed = resource && !resource->ring.empty() && resource->ring.back().revision > at;
    if (!changed && at >= dropped) {
      Page page = resource ? page_of(*resource, range) : Page{};
      page.revision = at;
      return page;
    }
    past.emplace(resource, range);
    if (resource) {
      const auto first = first_after(*resource, at);
      for (auto slot = resource->ring.end(); slot != first;) {
        --slot;
        past->take_back(slot->object->meta.ns, slot->object->meta.name, slot->before);
      }
    }
    if (at < dropped) in_log = dropped;
  }
  return list_past(range, std::move(*past), in_log);
}

/// With the lock free: the log is slow, and what it says of the past does not change but by
/// compaction.
Result<Page> Engine::list_past(const Range& range, Past past, Revision in_log) const {
  const auto read = [&]() -> Result<Page> {
    if (in_log != 0) {
      const auto earlier = HF_TRY(journal_->replaced(range.resource, range.at, in_log));
      for (const auto& one : earlier) past.take_back(one.ns, one.name, one.before);
    }
    return past.page([&](Revision revision) { return journal_->version(revision); });
  };
  auto page = read();
  Lock lock(mutex_);
  HF_TRY(check_kept(range.at));
  return page;
}

Result<std::vector<Change>> Engine::changes(std::string_view resource, Revision after, size_t limit,
                                            Revision& seen) const {
  std::vector<Change> out;
  seen = after;
  for (;;) {
    const Revision in_log = HF_TRY(recent(resource, limit, seen, out));
    if (in_log == 0) return out;
    auto done = journal_->read(resource, seen, in_log, limit - out.size(), out);
    {
      Lock lock(mutex_);
      HF_TRY(check_kept(after));
    }
    if (!done) return done.take_error();
    seen = out.size() == limit ? out.back().revision : in_log;
    if (out.size() == limit) return out;
  }
}

Result<Revision> Engine::recent(std::string_view resource, size_t limit, Revision& seen,
                                std::vector<Change>& out) const {
  Lock lock(mutex_);
  HF_TRY(check_kept(seen));
  if (seen >= durable_) return Revision{0};
  if (const Revision dropped = state_.dropped(resource); seen < dropped) return dropped;
  if (const Collection* found = state_.find(resource)) {
    for (auto slot = first_after(*found, seen);
         slot != found->ring.end() && slot->revision <= durable_; ++slot) {
      if (out.size() == limit) {
        seen = out.back().revision;
        return Revision{0};
      }
      out.push_back(change_of(*found, *slot));
    }
  }
  seen = durable_;
  return Revision{0};
}

bool Engine::compact_step(std::chrono::seconds keep) {
  const int64_t cutoff = now_us() - std::chrono::microseconds(keep).count();
  return journal_ ? compact_journal(cutoff) : compact_memory(cutoff);
}

bool Engine::compact_memory(int64_t cutoff_us) {
  Lock lock(mutex_);
  for (size_t i = 0; i < kCompactRows; ++i) {
    const auto [revision, wall_us] = state_.oldest_change();
    if (revision == 0 || wall_us > cutoff_us) return false;
    state_.drop(revision);
    oldest_ = std::max(oldest_, revision);
  }
  return true;
}

bool Engine::compact_journal(int64_t cutoff_us) {
  auto upto = journal_->compactable(cutoff_us, kCompactRows);
  if (upto) {
    Lock lock(mutex_);
    if (*upto <= oldest_) return false;
    // Said before it is done, so that a reader who finds rows missing knows why.
    oldest_ = *upto;
    state_.drop(*upto);
  }
  auto done = upto ? journal_->compact(*upto) : Result<void>(upto.take_error());
  if (!done) log::warn(std::move(done.take_error()).with_context("compact").what());
  return static_cast<bool>(done);
}

}  // namespace holdfast::apiserver::storage
