#include "reflect/wire.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace holdfast::kube {
namespace {

Error broken(const Scanner& scan, std::string_view what) {
  return {Fault::Invalid, fmt::format("{} that is no JSON from byte {} on", what, scan.position())};
}

uint64_t to_version(std::string_view text) {
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  return error == std::errc() && end == text.data() + text.size() ? version : 0;
}

bool read_list_metadata(Scanner& scan, ListPage& page) {
  if (scan.peek() != '{') return scan.skip();
  scan.enter('{');
  std::string_view key, raw;
  while (scan.member(key)) {
    if (scan.peek() != '"' || (key != "resourceVersion" && key != "continue")) {
      if (!scan.skip()) return false;
      continue;
    }
    if (!scan.string(raw)) return false;
    if (key == "continue") page.next = unescaped(raw);
    if (key == "resourceVersion") page.version = to_version(raw);
  }
  return scan.left();
}

Result<void> read_items(Scanner& scan, const ObjectReader& reader, ListPage& page) {
  if (scan.peek() == 'n') return scan.skip() ? ok() : broken(scan, "list");  // Go's empty slice
  if (!scan.enter('[')) return Error(Fault::Invalid, "list whose items are no array");
  while (scan.element()) {
    auto item = reader.read(scan);
    if (!item)
      return item.take_error().with_context(fmt::format("item {} of a list", page.items.size()));
    page.items.push_back(item.take());
  }
  if (!scan.left()) return broken(scan, "list");
  return ok();
}

std::optional<WatchLine::Type> to_type(std::string_view word) {
  using Type = WatchLine::Type;
  if (word == "ADDED") return Type::Added;
  if (word == "MODIFIED") return Type::Modified;
  if (word == "DELETED") return Type::Deleted;
  if (word == "BOOKMARK") return Type::Bookmark;
  if (word == "ERROR") return Type::Error;
  return std::nullopt;
}

/// The object of a line whose type is known; the cursor stands before it.
Result<void> read_event(Scanner& scan, const ObjectReader& reader, WatchLine& line) {
  using Type = WatchLine::Type;
  if (line.type != Type::Bookmark && line.type != Type::Error) {
    line.object = HF_TRY(reader.read(scan));
    line.version = line.object.version();
    return ok();
  }
  scan.peek();
  const size_t from = scan.position();
  if (!scan.skip()) return broken(scan, "watch event");
  const std::string_view object = scan.between(from, scan.position());
  if (line.type == Type::Error) {
    line.refusal = read_refusal(0, object);
    return ok();
  }
  const std::string text = minified(object);
  const std::string_view metadata = member_of(text, "metadata");
  line.version = to_version(string_member(metadata, "resourceVersion"));
  line.initial_events_end =
      string_member(member_of(metadata, "annotations"), "k8s.io/initial-events-end") == "true";
  return ok();
}

}  // namespace

Result<ListPage> read_list(std::string_view body, const ObjectReader& reader) {
  Scanner scan(body);
  ListPage page;
  std::string_view key;
  bool items = false;
  if (!scan.enter('{')) return broken(scan, "list");
  while (scan.member(key)) {
    if (key == "items" && !items) {
      items = true;
      HF_TRY(read_items(scan, reader, page));
    } else if (key == "metadata" ? !read_list_metadata(scan, page) : !scan.skip()) {
      return broken(scan, "list");
    }
  }
  if (!scan.left() || !scan.at_end()) return broken(scan, "list");
  if (!items) return Error(Fault::Invalid, "list without items");
  return page;
}

Refusal read_refusal(int code, std::string_view body) {
  constexpr size_t kShown = 200;
  Refusal refusal{.code = code};
  const auto parsed = model::parse_json(body);
  if (!parsed || model::string_at(parsed->value, {"kind"}) != "Status") {
    refusal.message = trim(body.substr(0, kShown));
    return refusal;
  }
  const model::Value& status = parsed->value;
  refusal.reason = model::string_at(status, {"reason"});
  refusal.message = model::string_at(status, {"message"});
  if (code == 0) refusal.code = int(model::int_at(status, {"code"}, 0));
  for (const model::Value& cause : model::array_at(status, {"details", "causes"}))
    if (model::string_at(cause, {"reason"}) == "ResourceVersionTooLarge")
      refusal.version_too_large = true;
  // Servers before 1.17 gave no such cause.
  if (refusal.message.find("Too large resource version") != std::string::npos)
    refusal.version_too_large = true;
  return refusal;
}

std::chrono::seconds retry_after(const net::Response& answer) {
  constexpr int64_t kLongest = 300;
  const std::string_view text = answer.headers.get("Retry-After");
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongest));
}

Result<WatchLine> read_line(std::string_view text, const ObjectReader& reader) {
  Scanner scan(text);
  WatchLine line;
  std::string_view key, word;
  std::optional<WatchLine::Type> type;
  std::optional<size_t> held;  // an object that came before its type
  bool seen = false;
  if (!scan.enter('{')) return broken(scan, "watch event");
  while (scan.member(key)) {
    if (key == "type" && !type) {
      if (!scan.string(word)) return broken(scan, "watch event");
      type = to_type(word);
      if (!type)
        return Error(Fault::Invalid, fmt::format("watch event of type {}", word.substr(0, 40)));
      line.type = *type;
    } else if (key == "object" && type && !seen) {
      seen = true;
      HF_TRY(read_event(scan, reader, line));
    } else {
      if (key == "object") held = scan.position();
      if (!scan.skip()) return broken(scan, "watch event");
    }
  }
  if (!scan.left() || !scan.at_end()) return broken(scan, "watch event");
  if (type && !seen && held) {
    Scanner again(text.substr(*held));
    HF_TRY(read_event(again, reader, line));
    seen = true;
  }
  if (!seen) return Error(Fault::Invalid, "watch event without type or object");
  return line;
}

}  // namespace holdfast::kube
