#include "users/ranges.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/walls.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

namespace holdfast::node {
namespace {

uint32_t first_of(uint32_t number) { return kFirstId + number * kIdsOfPod; }
uint32_t number_of(uint32_t first) { return (first - kFirstId) / kIdsOfPod; }

bool is_range(uint32_t first) {
  return first >= kFirstId && (first - kFirstId) % kIdsOfPod == 0 && number_of(first) < kRanges;
}

}  // namespace

UserRanges::UserRanges(std::filesystem::path locks, std::string_view place, uint32_t count)
    : locks_(std::move(locks)), count_(count) {
  const std::string digest = sha256(place);
  next_ = (uint32_t(uint8_t(digest[0])) << 8 | uint8_t(digest[1])) % count_;
}

Result<Fd> UserRanges::lock(uint32_t number) const {
  HF_TRY(make_folder(locks_, 0700));
  const std::filesystem::path path = locks_ / std::to_string(number);
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return system_error("open " + path.string(), errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return Error(Fault::Conflict, fmt::format("range {} of user ids is another pod's", number));
  return file;
}

Result<uint32_t> UserRanges::take() {
  const Lock guard(mutex_);
  if (!wall_stands("no two pods have the same range of ids")) return kFirstId;
  for (uint32_t tries = 0; tries < count_; ++tries) {
    const uint32_t number = next_;
    // Another one each time: what a pod has left somewhere is not its successor's.
    next_ = (next_ + 1) % count_;
    if (taken_.contains(number)) continue;
    Result<Fd> file = lock(number);
    if (!file && file.error().fault() != Fault::Conflict) return file.take_error();
    if (!file) continue;
    taken_[number] = file.take();
    return first_of(number);
  }
  return Error(Fault::Unavailable,
               fmt::format("all {} ranges of user ids for pods are taken", count_))
      .with_hint("pods that ended and are still there keep theirs: delete them");
}

Result<void> UserRanges::keep(uint32_t first, bool alive) {
  if (!is_range(first))
    return Error(Fault::Invalid, fmt::format("{} is not the beginning of a range of ids", first));
  const Lock guard(mutex_);
  if (taken_.contains(number_of(first)))
    return Error(Fault::Conflict, "another pod of this node has its range of user ids");
  Result<Fd> file = lock(number_of(first));
  if (!file && !alive) return file.take_error();
  taken_[number_of(first)] = file ? file.take() : Fd();
  return {};
}

void UserRanges::give_back(uint32_t first) {
  const Lock guard(mutex_);
  taken_.erase(number_of(first));
}

Result<int> UserRanges::lock_of(uint32_t first) {
  const Lock guard(mutex_);
  Fd& file = taken_[number_of(first)];
  if (!file && wall_stands("no two pods have the same range of ids"))
    file = HF_TRY(lock(number_of(first)));
  return file.get();
}

}  // namespace holdfast::node
