// {"time":…,"parent":…?,"tree":…,"paths":[…],"hostname":…?,"username":…?,"uid":…?,"gid":…?,
//  "excludes":[…]?,"tags":[…]?,"original":…?,"program_version":…?,"summary":{…}?, others}
// Of the others, rustic's "delete":"Never"|{"After":TIME}? is understood.
#include <holdfast/repo/snapshot.h>

#include "codec/go_json.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

/// The counters of a summary, said once for both directions.
template <class Summary, class Visit>
void each_counter(Summary& summary, const Visit& visit) {
  visit("files_new", summary.files_new);
  visit("files_changed", summary.files_changed);
  visit("files_unmodified", summary.files_unmodified);
  visit("dirs_new", summary.dirs_new);
  visit("dirs_changed", summary.dirs_changed);
  visit("dirs_unmodified", summary.dirs_unmodified);
  visit("data_blobs", summary.data_blobs);
  visit("tree_blobs", summary.tree_blobs);
  visit("data_added", summary.data_added);
  visit("data_added_packed", summary.data_added_packed);
  visit("total_files_processed", summary.total_files_processed);
  visit("total_bytes_processed", summary.total_bytes_processed);
}

Result<Id> read_id(JsonValue value) {
  const std::string text = HF_TRY(value.text());
  const std::optional<Id> id = Id::from_hex(text);
  if (!id) return Error(Fault::Corrupt, fmt::format("\"{}\" is no id", text));
  return *id;
}

Result<std::vector<std::string>> read_list(JsonValue value) {
  std::vector<std::string> out;
  Result<void> whole = value.each([&out](JsonValue item) -> Result<void> {
    out.push_back(HF_TRY(item.text()));
    return ok();
  });
  if (!whole) return whole.take_error();
  return out;
}

void append_other(std::string& others, std::string_view key, std::string_view raw) {
  others += ',';
  append_string(others, key);
  others += ':';
  others += raw;
}

uint64_t* counter_of(SnapshotSummary& summary, std::string_view key) {
  uint64_t* found = nullptr;
  each_counter(summary, [&](std::string_view name, uint64_t& counter) {
    if (name == key) found = &counter;
  });
  return found;
}

Result<SnapshotSummary> read_summary(JsonValue value) {
  SnapshotSummary summary;
  Result<void> whole =
      value.members([&summary](std::string_view key, JsonValue member) -> Result<void> {
        if (key == "backup_start") {
          summary.backup_start = HF_TRY(member.text());
        } else if (key == "backup_end") {
          summary.backup_end = HF_TRY(member.text());
        } else if (uint64_t* counter = counter_of(summary, key)) {
          *counter = HF_TRY(member.number());
        } else {
          const std::string raw = HF_TRY(member.raw());
          append_other(summary.others, key, raw);
        }
        return ok();
      });
  if (!whole) return whole.take_error();
  return summary;
}

/// What is not understood protects: to keep too much is the smaller fault.
std::optional<WallTime> read_keep_until(const std::string& raw) {
  if (raw == "\"NotSet\"") return std::nullopt;
  std::optional<NodeTime> time;
  if (raw.starts_with('{')) {
    const Result<void> read = read_json(raw, [&time](JsonValue root) {
      return root.members([&time](std::string_view key, JsonValue value) -> Result<void> {
        if (key != "After") return ok();
        const std::string text = HF_TRY(value.text());
        // With the name of its zone at the end: …+01:00[Europe/Berlin]
        time = parse_time(std::string_view(text).substr(0, text.find('[')));
        return ok();
      });
    });
    if (!read) time.reset();
  }
  return time ? wall_time(*time) : WallTime::max();
}

Result<void> read_time(JsonValue value, Snapshot& snapshot) {
  snapshot.time_text = HF_TRY(value.text());
  const std::optional<NodeTime> time = parse_time(snapshot.time_text);
  if (!time) return Error(Fault::Corrupt, fmt::format("\"{}\" is no time", snapshot.time_text));
  snapshot.time =
      WallTime(std::chrono::microseconds(time->seconds * 1'000'000 + time->nanoseconds / 1000));
  return ok();
}

/// `deletion` gets the JSON of "delete", to be read when this reading is over: one at a time.
Result<void> read_member(std::string_view key, JsonValue value, Snapshot& snapshot,
                         std::string& deletion) {
  if (key == "time") return read_time(value, snapshot);
  if (key == "parent") {
    snapshot.parent = HF_TRY(read_id(value));
  } else if (key == "tree") {
    snapshot.tree = HF_TRY(read_id(value));
  } else if (key == "paths") {
    snapshot.paths = HF_TRY(read_list(value));
  } else if (key == "hostname") {
    snapshot.host = HF_TRY(value.text());
  } else if (key == "username") {
    snapshot.user = HF_TRY(value.text());
  } else if (key == "uid") {
    snapshot.uid = uint32_t(HF_TRY(value.number()));
  } else if (key == "gid") {
    snapshot.gid = uint32_t(HF_TRY(value.number()));
  } else if (key == "excludes") {
    snapshot.excludes = HF_TRY(read_list(value));
  } else if (key == "tags") {
    snapshot.tags = HF_TRY(read_list(value));
  } else if (key == "original") {
    snapshot.original = HF_TRY(read_id(value));
  } else if (key == "program_version") {
    snapshot.program_version = HF_TRY(value.text());
  } else if (key == "summary") {
    snapshot.summary = HF_TRY(read_summary(value));
  } else {
    const std::string raw = HF_TRY(value.raw());
    append_other(snapshot.others, key, raw);
    if (key == "delete") deletion = raw;
  }
  return ok();
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  fmt::format_to(std::back_inserter(out), ",\"{}\":", key);
  append_string(out, text);
}

void append_list(std::string& out, std::string_view key, const std::vector<std::string>& items) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":", key);
  char before = '[';
  for (const std::string& item : items) {
    out += before;
    append_string(out, item);
    before = ',';
  }
  out += items.empty() ? "[]" : "]";
}

void append_summary(std::string& out, const SnapshotSummary& summary) {
  out += ",\"summary\":{\"backup_start\":";
  append_string(out, summary.backup_start);
  append_text(out, "backup_end", summary.backup_end);
  each_counter(summary, [&out](std::string_view name, uint64_t counter) {
    fmt::format_to(std::back_inserter(out), ",\"{}\":{}", name, counter);
  });
  out += summary.others;
  out += '}';
}

}  // namespace

Result<Snapshot> parse_snapshot(std::string_view json, const Id& id) {
  Snapshot snapshot;
  snapshot.id = id;
  bool tree = false;
  std::string deletion;
  Result<void> read = read_json(json, [&](JsonValue root) {
    return root.members([&](std::string_view key, JsonValue value) {
      tree = tree || key == "tree";
      return read_member(key, value, snapshot, deletion);
    });
  });
  if (!deletion.empty()) snapshot.keep_until = read_keep_until(deletion);
  if (read && !tree) read = Error(Fault::Corrupt, "it has no tree");
  if (!read) return read.take_error().with_context(fmt::format("read snapshot {}", id.hex()));
  return snapshot;
}

std::string to_json(const Snapshot& snapshot) {
  std::string out = "{\"time\":";
  append_string(out, snapshot.time_text);
  if (snapshot.parent) append_text(out, "parent", snapshot.parent->hex());
  append_text(out, "tree", snapshot.tree.hex());
  append_list(out, "paths", snapshot.paths);
  append_text(out, "hostname", snapshot.host);
  append_text(out, "username", snapshot.user);
  if (snapshot.uid.value_or(0) != 0) out += fmt::format(",\"uid\":{}", *snapshot.uid);
  if (snapshot.gid.value_or(0) != 0) out += fmt::format(",\"gid\":{}", *snapshot.gid);
  if (!snapshot.excludes.empty()) append_list(out, "excludes", snapshot.excludes);
  if (!snapshot.tags.empty()) append_list(out, "tags", snapshot.tags);
  if (snapshot.original) append_text(out, "original", snapshot.original->hex());
  append_text(out, "program_version", snapshot.program_version);
  if (snapshot.summary) append_summary(out, *snapshot.summary);
  out += snapshot.others;
  return out + "}";
}

}  // namespace holdfast::repo
