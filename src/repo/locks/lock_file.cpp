#include "locks/lock_file.h"

#include "codec/go_json.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

#include <limits>

namespace holdfast::repo {
namespace {

template <class Number>
Result<Number> read_number(JsonValue value) {
  const uint64_t number = HF_TRY(value.number());
  if (number > uint64_t(std::numeric_limits<Number>::max()))
    return Error(Fault::Corrupt, fmt::format("{} is out of range", number));
  return Number(number);
}

Result<void> read_member(std::string_view key, JsonValue value, LockInfo& lock) {
  if (key == "hostname") lock.host = HF_TRY(value.text());
  if (key == "username") lock.user = HF_TRY(value.text());
  if (key == "exclusive") lock.exclusive = HF_TRY(value.boolean());
  if (key == "pid") lock.pid = HF_TRY(read_number<int>(value));
  if (key == "uid") lock.uid = HF_TRY(read_number<uint32_t>(value));
  if (key == "gid") lock.gid = HF_TRY(read_number<uint32_t>(value));
  if (key != "time") return ok();
  const std::string text = HF_TRY(value.text());
  const std::optional<NodeTime> time = parse_time(text);
  if (!time) return Error(Fault::Corrupt, fmt::format("\"{}\" is no time", text));
  lock.time = wall_time(*time);
  return ok();
}

}  // namespace

Result<LockInfo> parse_lock(std::string_view json, const Id& id) {
  LockInfo lock;
  lock.id = id;
  bool timed = false;
  Result<void> read = read_json(json, [&](JsonValue root) {
    return root.members([&](std::string_view key, JsonValue value) {
      timed = timed || key == "time";
      return read_member(key, value, lock);
    });
  });
  if (read && !timed) read = Error(Fault::Corrupt, "it has no time");
  if (!read) return read.take_error().with_context(fmt::format("read lock {}", id.hex()));
  return lock;
}

std::string to_json(const LockInfo& lock) {
  std::string out = fmt::format(
      "{{\"time\":\"{}\",\"exclusive\":{},\"hostname\":", time_text(lock.time), lock.exclusive);
  append_string(out, lock.host);
  out += ",\"username\":";
  append_string(out, lock.user);
  out += fmt::format(",\"pid\":{}", lock.pid);
  if (lock.uid != 0) out += fmt::format(",\"uid\":{}", lock.uid);
  if (lock.gid != 0) out += fmt::format(",\"gid\":{}", lock.gid);
  return out + "}";
}

}  // namespace holdfast::repo
