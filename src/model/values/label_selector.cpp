/// Label selectors, read and refused as apimachinery/labels does.
///
///   selector    = [ requirement { "," requirement } ]
///   requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ] | key ( "in" |
///   "notin" ) "(" values ")"
///
/// `in` and `notin` are operators only where an operator may stand; elsewhere they are ordinary
/// words.
#include <holdfast/base/text.h>
#include <holdfast/model/field_error.h>
#include <holdfast/model/names.h>
#include <holdfast/model/selector.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace holdfast::model {
namespace {

using Op = LabelSelector::Op;
using Requirement = LabelSelector::Requirement;

std::optional<int64_t> as_integer(std::string_view text) {
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

std::optional<FieldError> key_error(const std::string& key_text, const std::string& path) {
  const Complaints complaints = check_qualified_name(key_text);
  if (complaints.empty()) return std::nullopt;
  return invalid_field(path, Value(key_text), join(complaints, "; "));
}

Error error_of(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors)
    if (std::find(texts.begin(), texts.end(), error.text()) == texts.end())
      texts.push_back(error.text());
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
    if (!as_integer(wanted.values[i]))
      errors.push_back(invalid_field(at("values", i), Value(wanted.values[i]),
                                     "for 'Gt', 'Lt' operators, the value must be an integer"));
}

Result<Requirement> checked(Requirement wanted) {
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

void sort_by_key(std::vector<Requirement>& requirements) {
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
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
      return checked({name.text, absent ? Op::DoesNotExist : Op::Exists, {}, false});

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
    return checked(std::move(out));
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

const std::string* lookup(const Labels& labels, const std::string& name) {
  const auto it = std::lower_bound(
      labels.begin(), labels.end(), name,
      [](const auto& label, const std::string& wanted) { return label.first < wanted; });
  return it != labels.end() && it->first == name ? &it->second : nullptr;
}

bool holds(const Requirement& wanted, const Labels& labels) {
  const std::string* value = lookup(labels, wanted.key);
  const auto listed_there = [&] {
    return std::binary_search(wanted.values.begin(), wanted.values.end(), *value);
  };
  switch (wanted.op) {
    case Op::In:
      return value && listed_there();
    case Op::NotIn:
      return !value || !listed_there();
    case Op::Exists:
      return value;
    case Op::DoesNotExist:
      return !value;
    case Op::GreaterThan:
    case Op::LessThan:
      break;
  }
  if (!value) return false;
  const auto have = as_integer(*value);
  const auto bound = as_integer(wanted.values.front());
  if (!have || !bound) return false;
  return wanted.op == Op::GreaterThan ? *have > *bound : *have < *bound;
}

std::string text_of(const Requirement& wanted) {
  const std::string values = join(wanted.values, ",");
  switch (wanted.op) {
    case Op::In:
      return wanted.exact ? wanted.key + "=" + values : wanted.key + " in (" + values + ")";
    case Op::NotIn:
      return wanted.exact ? wanted.key + "!=" + values : wanted.key + " notin (" + values + ")";
    case Op::Exists:
      return wanted.key;
    case Op::DoesNotExist:
      return "!" + wanted.key;
    case Op::GreaterThan:
      return wanted.key + ">" + values;
    case Op::LessThan:
      break;
  }
  return wanted.key + "<" + values;
}

Result<Requirement> from_expression(const Value& expression) {
  Requirement out;
  out.key = string_at(expression, {"key"});
  const std::string_view op = string_at(expression, {"operator"});
  if (op == "In")
    out.op = Op::In;
  else if (op == "NotIn")
    out.op = Op::NotIn;
  else if (op == "Exists")
    out.op = Op::Exists;
  else if (op == "DoesNotExist")
    out.op = Op::DoesNotExist;
  else
    return Error(Fault::Invalid,
                 fmt::format("{} is not a valid label selector operator", quoted(op)));
  for (const Value& value : array_at(expression, {"values"}))
    if (value.is_string()) out.values.emplace_back(view(value.get_string()));
  return checked(std::move(out));
}

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector out;
  out.requirements_ = HF_TRY(SelectorParser(text).run());
  sort_by_key(out.requirements_);
  return out;
}

Result<LabelSelector> LabelSelector::from_object(const Value& selector) {
  LabelSelector out;
  out.nothing_ = !selector.is_object();
  for (const auto& label : object_at(selector, {"matchLabels"})) {
    std::string value(label.value().is_string() ? view(label.value().get_string()) : "");
    const std::string name(label.key().data(), label.key().size());
    out.requirements_.push_back(HF_TRY(checked({name, Op::In, {std::move(value)}, true})));
  }
  for (const Value& expression : array_at(selector, {"matchExpressions"}))
    out.requirements_.push_back(HF_TRY(from_expression(expression)));
  sort_by_key(out.requirements_);
  return out;
}

bool LabelSelector::matches(const Labels& labels) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&](const Requirement& wanted) { return holds(wanted, labels); });
}

std::string LabelSelector::text() const {
  std::vector<std::string> parts;
  for (const Requirement& wanted : requirements_) parts.push_back(text_of(wanted));
  return join(parts, ",");
}

}  // namespace holdfast::model
