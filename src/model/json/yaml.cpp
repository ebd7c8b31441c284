/// YAML text to values, typed as sigs.k8s.io/yaml types it.
///
/// yaml-cpp hands over events and we build the value, because its own node graph would let aliases
/// multiply without end: what anchors and aliases copy is paid from a budget. Plain scalars follow
/// YAML 1.1 (`yes`, `0o17`, `0x1f`, `~`), quoted ones are strings. A text that opens with a brace
/// is tried as JSON first: it is faster, and yaml-cpp does not join the two halves of an escaped
/// surrogate pair.
#include <holdfast/base/bytes.h>
#include <holdfast/model/field_error.h>
#include <holdfast/model/json.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

namespace holdfast::model {
namespace {

constexpr size_t kMaxDuplicates = 100;
/// Bytes that anchors and aliases may copy, a node counted as 32.
constexpr size_t kCopyBudget = 32u << 20;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_null(std::string_view text) { return is_one_of(text, {"", "~", "null", "Null", "NULL"}); }

/// Go's ParseInt with base 0: a sign, then 0x, 0o, 0b, a leading 0 for octal, or decimal.
bool as_integer(std::string_view text, Value& out) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = char(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
  }
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, ec] = std::from_chars(text.data(), end, value, base);
  if (ec != std::errc{} || last != end) return false;
  constexpr uint64_t kTop = uint64_t(1) << 63;
  if (negative && value > kTop) return false;
  if (negative)
    out = value == kTop ? INT64_MIN : -int64_t(value);
  else if (value < kTop)
    out = int64_t(value);
  else
    out = value;
  return true;
}

size_t digits_at(std::string_view text, size_t from) {
  size_t end = from;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  return end - from;
}

/// [-+] ( .digits | digits [ .[digits] ] ) [ e[-+]digits ]
bool as_float(std::string_view text, Value& out) {
  size_t at = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const size_t whole = digits_at(text, at);
  at += whole;
  size_t part = 0;
  if (at < text.size() && text[at] == '.') part = digits_at(text, at + 1), at += part + 1;
  if (whole + part == 0) return false;
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    const size_t exponent = digits_at(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  if (at != text.size()) return false;
  const double value = std::strtod(std::string(text).c_str(), nullptr);
  if (!std::isfinite(value)) return false;
  out = value;
  return true;
}

Value plain(std::string_view text) {
  if (is_null(text)) return nullptr;
  if (is_one_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}))
    return true;
  if (is_one_of(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return false;
  Value out;
  const char first = text.front();
  if (first == '.') {
    if (as_float(text, out)) return out;
  } else if (first == '-' || first == '+' || (first >= '0' && first <= '9')) {
    std::string number(text);
    std::erase(number, '_');
    if (as_integer(number, out) || as_float(number, out)) return out;
  }
  return Value(boost::json::string(text.data(), text.size()));
}

bool is_not_a_json_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return is_one_of(text, {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"});
}

size_t cost(const Value& value) {
  size_t sum = 32;
  if (const auto* text = value.if_string()) sum += text->size();
  if (const auto* array = value.if_array())
    for (const Value& item : *array) sum += cost(item);
  if (const auto* object = value.if_object())
    for (const auto& member : *object) sum += member.key().size() + cost(member.value());
  return sum;
}

class Builder final : public YAML::EventHandler {
 public:
  Value root;
  std::vector<std::string> duplicates;
  std::string error;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish(mark, anchor, nullptr, false);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) return fail(mark, "anchor value contains itself");
    if (pay(mark, known->second)) finish(mark, 0, Value(known->second), false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool is_plain = tag == "?" || tag.empty();
    const bool typed =
        is_plain || is_one_of(tag, {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
                                    "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"});
    if (typed && is_not_a_json_number(text)) return fail(mark, "json: unsupported value: " + text);
    Value value = typed ? plain(text) : Value(text);
    if (typed && !is_plain && value.is_string())
      return fail(mark, fmt::format("cannot decode `{}` as a {}", text, tag));
    finish(mark, anchor, std::move(value), is_plain && text == "<<");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Array());
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Object());
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor;
    Value value;
    std::string key;
    bool has_key = false;
    bool merging = false;
    std::vector<Value> merged;  ///< maps to fill in from, once the map's own keys are known
  };

  void fail(const YAML::Mark& mark, std::string_view what) {
    if (error.empty()) error = fmt::format("yaml: line {}: {}", mark.line + 1, what);
  }

  bool pay(const YAML::Mark& mark, const Value& value) {
    copied_ += cost(value);
    if (copied_ > kCopyBudget) fail(mark, "document contains excessive aliasing");
    return error.empty();
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Value value) {
    if (frames_.size() >= kMaxDepth) fail(mark, "exceeded max depth");
    if (error.empty()) frames_.push_back({mark, anchor, std::move(value), {}, false, false, {}});
  }

  void close() {
    if (!error.empty() || frames_.empty()) return;
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.value.is_object())
      for (const Value& source : frame.merged)
        for (const auto& member : source.get_object()) frame.value.get_object().insert(member);
    finish(frame.mark, frame.anchor, std::move(frame.value), false);
  }

  void finish(const YAML::Mark& mark, YAML::anchor_t anchor, Value value, bool merge_word) {
    if (!error.empty()) return;
    if (anchor != 0 && pay(mark, value)) anchors_[anchor] = value;
    if (frames_.empty()) {
      root = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (Array* array = frame.value.if_array())
      array->push_back(std::move(value));
    else if (!frame.has_key)
      take_key(mark, frame, value, merge_word);
    else
      take_member(mark, frame, std::move(value));
  }

  void take_key(const YAML::Mark& mark, Frame& frame, const Value& value, bool merge_word) {
    if (value.is_null() || value.is_structured()) return fail(mark, "unsupported map key");
    frame.key = value.is_string() ? std::string(view(value.get_string())) : to_json(value);
    frame.has_key = true;
    frame.merging = merge_word;
  }

  void take_member(const YAML::Mark& mark, Frame& frame, Value value) {
    frame.has_key = false;
    if (frame.merging) return take_merge(mark, frame, value);
    Object& object = frame.value.get_object();
    const auto [slot, added] = object.emplace(frame.key, nullptr);
    slot->value() = std::move(value);
    if (!added && duplicates.size() < kMaxDuplicates) duplicates.push_back(path_of(frame.key));
  }

  void take_merge(const YAML::Mark& mark, Frame& frame, const Value& value) {
    const Array one{value};
    const Array& sources = value.is_array() ? value.get_array() : one;
    for (const Value& source : sources) {
      if (!source.is_object())
        return fail(mark, "map merge requires map or sequence of maps as the value");
      if (pay(mark, source)) frame.merged.push_back(source);
    }
  }

  std::string path_of(const std::string& last) const {
    std::string path;
    for (size_t i = 0; i + 1 < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      path = frame.value.is_array() ? at(path, frame.value.get_array().size())
                                    : child(path, frame.key);
    }
    return child(path, last);
  }

  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Value> anchors_;
  size_t copied_ = 0;
};

}  // namespace

Result<Parsed> parse_yaml(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '['))
    if (auto parsed = parse_json(text)) return parsed;
  if (!is_utf8(text)) return Error(Fault::Invalid, "yaml: invalid leading UTF-8 octet");
  Builder builder;
  // The one place where a library throws at us: yaml-cpp knows no other way to say "no".
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& e) {
    return Error(Fault::Invalid, fmt::format("yaml: line {}: {}", e.mark.line + 1, e.msg));
  }
  if (!builder.error.empty()) return Error(Fault::Invalid, builder.error);
  return Parsed{std::move(builder.root), std::move(builder.duplicates)};
}

}  // namespace holdfast::model
