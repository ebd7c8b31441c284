/// Parser of JSONPath text into steps.
#include <holdfast/base/text.h>

#include "crd/json_path_steps.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::apiserver {
namespace {

using Step = JsonPath::Step;
using Steps = JsonPath::Steps;

/// Filters nest through their operands; nobody needs more.
constexpr int kMaxNesting = 16;

Error invalid(std::string what) { return Error(Fault::Invalid, std::move(what)); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (static_cast<unsigned char>(c) & 0x80);
}
bool ends_name(char c) {
  return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

std::optional<int> to_int(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

class Parser {
 public:
  Parser(std::string_view text, int depth) : text_(text), depth_(depth) {}

  Result<Steps> parse() {
    if (depth_ > kMaxNesting) return invalid("JSONPath is nested too deeply");
    while (at_ < text_.size()) HF_TRY(step());
    return std::move(out_);
  }

 private:
  Result<void> step() {
    const std::string_view rest = text_.substr(at_);
    const char c = rest[0];
    if (rest.starts_with("[?(")) return filter();
    if (rest.starts_with("..")) return recursive();
    if (c == ' ' || c == '@' || c == '$') {
      ++at_;
      return ok();
    }
    if (c == '[') return index();
    if (c == '"' || c == '\'') return quote(c);
    if (c == '.') {
      ++at_;
      return field();
    }
    if (c == '+' || c == '-' || is_digit(c)) return number();
    if (is_word(c)) return word();
    return invalid(fmt::format("unrecognized character in action: {}", c));
  }

  void add(Step::Kind kind) { out_.emplace_back().kind = kind; }

  Result<void> field() {
    std::string name;
    while (at_ < text_.size() && !ends_name(text_[at_])) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) name += text_[at_++];
    }
    if (name == "*") {
      add(Step::Kind::Wildcard);
    } else {
      add(Step::Kind::Field);
      out_.back().name = std::move(name);
    }
    return ok();
  }

  Result<void> recursive() {
    if (!out_.empty() && out_.back().kind == Step::Kind::Recursive)
      return invalid("invalid multiple recursive descent");
    at_ += 2;
    add(Step::Kind::Recursive);
    if (at_ < text_.size() && is_word(text_[at_])) return field();
    return ok();
  }

  Result<void> index() {
    const size_t close = text_.find(']', at_);
    if (close == text_.npos) return invalid("unterminated array");
    std::string_view inside = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    if (inside == "*") inside = ":";
    if (inside.find(',') != inside.npos) return alternatives(inside);
    if (inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'')
      return key(inside.substr(1, inside.size() - 2));
    return slice(inside);
  }

  Result<void> alternatives(std::string_view inside) {
    Step step;
    step.kind = Step::Kind::Union;
    for (std::string_view part : split(inside, ',')) {
      Steps branch = HF_TRY(Parser(fmt::format("[{}]", trim(part)), depth_ + 1).parse());
      step.branches.push_back(std::move(branch));
    }
    out_.push_back(std::move(step));
    return ok();
  }

  Result<void> key(std::string_view name) {
    const std::string path = "." + std::string(name);
    Steps inner = HF_TRY(Parser(path, depth_ + 1).parse());
    for (Step& step : inner) out_.push_back(std::move(step));
    return ok();
  }

  Result<void> slice(std::string_view inside) {
    const auto parts = split(inside, ':');
    if (parts.size() > 3) return invalid(fmt::format("invalid array index {}", inside));
    Step step;
    step.kind = Step::Kind::Slice;
    step.single = parts.size() == 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].empty()) continue;
      step.bounds[i] = to_int(parts[i]);
      if (!step.bounds[i]) return invalid(fmt::format("invalid array index {}", inside));
    }
    out_.push_back(std::move(step));
    return ok();
  }

  Result<void> filter() {
    const size_t begin = at_ + 3;
    size_t end = begin;
    char quote = 0;
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (quote) {
        if (c == quote && text_[end - 1] != '\\') quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == ')') {
        break;
      }
    }
    if (end >= text_.size()) return invalid("unterminated filter");
    if (end + 1 >= text_.size() || text_[end + 1] != ']') return invalid("unclosed array expect ]");
    at_ = end + 2;
    return comparison(text_.substr(begin, end - begin));
  }

  Result<void> comparison(std::string_view text) {
    constexpr std::string_view kOperators = "!<>=";
    const size_t from = text.find_first_of(kOperators);
    const size_t to = from == text.npos ? from : text.find_first_not_of(kOperators, from);
    Step step;
    step.kind = Step::Kind::Filter;
    if (from == 0 || from == text.npos || to == text.npos) {
      step.operation = "exists";
      Steps left = HF_TRY(Parser(text, depth_ + 1).parse());
      step.left = std::move(left);
    } else {
      step.operation = std::string(text.substr(from, to - from));
      Steps left = HF_TRY(Parser(text.substr(0, from), depth_ + 1).parse());
      Steps right = HF_TRY(Parser(text.substr(to), depth_ + 1).parse());
      step.left = std::move(left);
      step.right = std::move(right);
    }
    out_.push_back(std::move(step));
    return ok();
  }

  Result<void> quote(char mark) {
    std::string literal;
    for (++at_; at_ < text_.size() && text_[at_] != mark; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      literal += text_[at_];
    }
    if (at_ >= text_.size()) return invalid("unterminated quoted string");
    ++at_;
    return add_literal(model::Value(literal));
  }

  Result<void> add_literal(model::Value literal) {
    add(Step::Kind::Literal);
    out_.back().literal = std::move(literal);
    return ok();
  }

  Result<void> number() {
    const size_t begin = at_++;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    std::string_view text = text_.substr(begin, at_ - begin);
    if (text.starts_with('+')) text.remove_prefix(1);
    if (auto whole = to_int(text)) return add_literal(int64_t(*whole));
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
      return invalid(fmt::format("cannot parse number {}", text));
    return add_literal(number);
  }

  Result<void> word() {
    const size_t begin = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (text == "true" || text == "false") return add_literal(text == "true");
    return invalid(fmt::format("unrecognized identifier {}", text));
  }

  std::string_view text_;
  int depth_;
  size_t at_ = 0;
  Steps out_;
};

}  // namespace

Result<JsonPath::Steps> parse_steps(std::string_view text) { return Parser(text, 0).parse(); }

Result<JsonPath> JsonPath::parse(std::string_view text) {
  Steps steps = HF_TRY(parse_steps(text));
  return JsonPath(std::make_shared<const Steps>(std::move(steps)));
}

}  // namespace holdfast::apiserver
