/// The grammar of label selectors, read and refused as apimachinery/labels does.
///
///   selector    = [ requirement { "," requirement } ]
///   requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" |
///   "notin" ) "(" values ")"
///
/// `in` and `notin` are operators only where an operator may stand; elsewhere they are ordinary
/// words.
#include "values/label_requirements.h"

#include <holdfast/base/text.h>
#include <holdfast/model/field_error.h>
#include <holdfast/model/names.h>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace holdfast::model {
namespace {

using Op = LabelSelector::Op;
using Requirement = LabelSelector::Requirement;

std::optional<FieldError> key_error(const std::string& key_text, const std::string& path) {
  const Complaints complaints = check_qualified_name(key_text);
  if (complaints.empty()) return std::nullopt;
  return invalid_field(path, Value(key_text), join(complaints, "; "));
}

Error error_of(const FieldErrors& errors) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const FieldError& error : errors)
    if (seen.insert(error.text()).second) texts.push_back(error.text());
  return Error(Fault::Invalid, texts.size() == 1 ? texts[0] : "[" + join(texts, ", ") + "]");
}

Value listed(const std::vector<std::string>& values) {
  Array out;
  for (const std::string& value : values) out.emplace_back(Value(value));
  return out;
}

void check_count(const Requirement& wanted, FieldErrors& errors) {
  const size_t count = wanted.values.size();
  if ((wanted.op == Op::In || wanted.op == Op::NotIn) && count == 0)
    errors.push_back(invalid_field("values", listed({}),
                                   "for 'in', 'notin' operators, values set can't be empty"));
  if ((wanted.op == Op::Exists || wanted.op == Op::DoesNotExist) && count != 0)
    errors.push_back(invalid_field("values", listed(wanted.values),
                                   "values set must be empty for exists and does not exist"));
  if (wanted.op != Op::GreaterThan && wanted.op != Op::LessThan) return;
  if (count != 1)
    errors.push_back(invalid_field("values", listed(wanted.values),
                                   "for 'Gt', 'Lt' operators, exactly one value is required"));
  for (size_t i = 0; i < count; ++i)
    if (!label_integer(wanted.values[i]))
      errors.push_back(invalid_field(at("values", i), Value(wanted.values[i]),
                                     "for 'Gt', 'Lt' operators, the value must be an integer"));
}

enum class Kind {
  Bad,
  End,
  Word,
  In,
  NotIn,
  Open,
  Close,
  Comma,
  Not,
  Equal,
  DoubleEqual,
  NotEqual,
  Greater,
  Less
};

struct Token {
  Kind kind;
  std::string text;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_symbol(char c) {
  return c != '\0' && std::string_view("=!(),><").find(c) != std::string_view::npos;
}

Kind symbol(std::string_view text) {
  if (text == "==") return Kind::DoubleEqual;
  if (text == "!=") return Kind::NotEqual;
  if (text.size() != 1) return Kind::Bad;
  switch (text[0]) {
    case '(':
      return Kind::Open;
    case ')':
      return Kind::Close;
    case ',':
      return Kind::Comma;
    case '!':
      return Kind::Not;
    case '=':
      return Kind::Equal;
    case '>':
      return Kind::Greater;
    default:
      return Kind::Less;
  }
}

/// A zero byte ends the text, as it does in Go's reader.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  text = text.substr(0, text.find('\0'));
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (is_symbol(text[i])) {
      if (symbol(text.substr(i, 2)) != Kind::Bad && i + 1 < text.size()) ++end;
      out.push_back({symbol(text.substr(i, end - i)), std::string(text.substr(i, end - i))});
    } else {
      while (end < text.size() && !is_symbol(text[end]) && !is_space(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      out.push_back({word == "in"      ? Kind::In
                     : word == "notin" ? Kind::NotIn
                                       : Kind::Word,
                     std::string(word)});
    }
    i = end;
  }
  out.push_back({Kind::End, ""});
  return out;
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : tokens_(tokens_of(text)) {}

  Result<std::vector<Requirement>> run() {
    std::vector<Requirement> out;
    for (;;) {
      const Kind first = peek().kind;
      if (first == Kind::End) return out;
      if (first != Kind::Word && first != Kind::Not)
        return found(peek(), ", expected: !, identifier, or 'end of string'");
      auto one = requirement();
      if (!one) return one.take_error().with_context("unable to parse requirement");
      out.push_back(one.take());
      const Token after = take();
      if (after.kind == Kind::End) return out;
      if (after.kind != Kind::Comma) return found(after, ", expected: ',' or 'end of string'");
      if (peek().kind != Kind::Word && peek().kind != Kind::Not)
        return found(peek(), ", expected: identifier after ','");
    }
  }

 private:
  static Error found(const Token& token, std::string_view expected) {
    return Error(Fault::Invalid, fmt::format("found '{}'{}", token.text, expected));
  }
  /// Where a value may stand `in` and `notin` are words.
  static Token as_value(Token token) {
    if (token.kind == Kind::In || token.kind == Kind::NotIn) token.kind = Kind::Word;
    return token;
  }
  Token raw() const { return tokens_[std::min(next_, tokens_.size() - 1)]; }
  Token peek() const { return as_value(raw()); }
  Token take_operator() {
    Token token = raw();
    ++next_;
    return token;
  }
  Token take() { return as_value(take_operator()); }

  Result<Requirement> requirement() {
    Token name = take();
    const bool absent = name.kind == Kind::Not;
    if (absent) name = take();
    if (name.kind != Kind::Word) return found(name, ", expected: identifier");
    if (auto bad = key_error(name.text, "<nil>")) return Error(Fault::Invalid, bad->text());
    const bool bare = peek().kind == Kind::End || peek().kind == Kind::Comma;
    if (absent || bare)
      return checked_requirement({name.text, absent ? Op::DoesNotExist : Op::Exists, {}, false});

    const Token sign = take_operator();
    Requirement out{name.text, Op::In, {}, true};
    switch (sign.kind) {
      case Kind::In:
        out.exact = false;
        break;
      case Kind::NotIn:
        out.exact = false;
        [[fallthrough]];
      case Kind::NotEqual:
        out.op = Op::NotIn;
        break;
      case Kind::Greater:
        out.op = Op::GreaterThan;
        break;
      case Kind::Less:
        out.op = Op::LessThan;
        break;
      case Kind::Equal:
      case Kind::DoubleEqual:
        break;
      default:
        return found(sign, ", expected: in, notin, =, ==, !=, gt, lt");
    }
    const std::set<std::string> values = HF_TRY(out.exact ? exact_value() : value_list());
    out.values.assign(values.begin(), values.end());
    return checked_requirement(std::move(out));
  }

  Result<std::set<std::string>> exact_value() {
    if (peek().kind == Kind::End || peek().kind == Kind::Comma) return std::set<std::string>{""};
    const Token token = take();
    if (token.kind != Kind::Word) return found(token, ", expected: identifier");
    return std::set<std::string>{token.text};
  }

  Result<std::set<std::string>> value_list() {
    if (const Token open = take(); open.kind != Kind::Open) return found(open, " expected: '('");
    const Kind first = peek().kind;
    if (first == Kind::Close) {
      take();
      return std::set<std::string>{""};
    }
    if (first != Kind::Word && first != Kind::Comma)
      return found(peek(), ", expected: ',', ')' or identifier");
    std::set<std::string> out = HF_TRY(words());
    take();
    return out;
  }

  /// Up to, not including, the closing parenthesis. Nothing between two commas is the empty value.
  Result<std::set<std::string>> words() {
    std::set<std::string> out;
    for (;;) {
      const Token token = take();
      const Kind next = peek().kind;
      if (token.kind == Kind::Word) {
        out.insert(token.text);
        if (next == Kind::Close) return out;
        if (next != Kind::Comma) return found(peek(), ", expected: ',' or ')'");
      } else if (token.kind == Kind::Comma) {
        if (out.empty() || next == Kind::Close || next == Kind::Comma) out.insert("");
        if (next == Kind::Close) return out;
        if (next == Kind::Comma) take();
      } else {
        return found(token, ", expected: ',', or identifier");
      }
    }
  }

  std::vector<Token> tokens_;
  size_t next_ = 0;
};

}  // namespace

std::optional<int64_t> label_integer(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || last != end) return std::nullopt;
  return value;
}

Result<Requirement> checked_requirement(Requirement wanted) {
  FieldErrors errors;
  if (auto bad = key_error(wanted.key, "key")) errors.push_back(std::move(*bad));
  check_count(wanted, errors);
  for (size_t i = 0; i < wanted.values.size(); ++i)
    if (const Complaints complaints = check_label_value(wanted.values[i]); !complaints.empty())
      errors.push_back(invalid_field(key(at("values", i), wanted.key), Value(wanted.values[i]),
                                     join(complaints, "; ")));
  if (!errors.empty()) return error_of(errors);
  std::sort(wanted.values.begin(), wanted.values.end());
  return wanted;
}

Result<std::vector<Requirement>> parse_requirements(std::string_view text) {
  return SelectorParser(text).run();
}

}  // namespace holdfast::model
