#include "kinds/go_struct.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace holdfast::apiserver {

using model::Value;

namespace {

void print(std::string& out, const Value& value, const std::string& indent) {
  const std::string deeper = indent + " ";
  const auto list = [&](char open, char close, auto&& entries, auto&& print_entry) {
    out += open;
    bool first = true;
    for (const auto& entry : entries) {
      out += first ? "\n" : ",\n";
      first = false;
      out += deeper;
      print_entry(entry);
    }
    if (!first) out += "\n" + indent;
    out += close;
  };
  if (const auto* array = value.if_array()) {
    list('[', ']', *array, [&](const Value& each) { print(out, each, deeper); });
  } else if (const auto* object = value.if_object()) {
    list('{', '}', *object, [&](const auto& member) {
      model::append_json(out, Value(member.key()));
      out += ": ";
      print(out, member.value(), deeper);
    });
  } else {
    model::append_json(out, value);
  }
}

using Lines = std::vector<std::string_view>;

/// Lines [a, a + size) of one text that equal lines [b, b + size) of the other.
struct Block {
  size_t a, b, size;
};

Block longest_match(const Lines& a, const Lines& b, size_t a_low, size_t a_high, size_t b_low,
                    size_t b_high) {
  Block best{a_low, b_low, 0};
  std::vector<size_t> above(b.size() + 1, 0);
  for (size_t i = a_low; i < a_high; ++i) {
    std::vector<size_t> row(b.size() + 1, 0);
    for (size_t j = b_low; j < b_high; ++j) {
      if (a[i] != b[j]) continue;
      row[j + 1] = above[j] + 1;
      if (row[j + 1] > best.size) best = {i + 1 - row[j + 1], j + 1 - row[j + 1], row[j + 1]};
    }
    above = std::move(row);
  }
  return best;
}

void match(const Lines& a, const Lines& b, size_t a_low, size_t a_high, size_t b_low, size_t b_high,
           std::vector<Block>& out) {
  const Block best = longest_match(a, b, a_low, a_high, b_low, b_high);
  if (best.size == 0) return;
  match(a, b, a_low, best.a, b_low, best.b, out);
  out.push_back(best);
  match(a, b, best.a + best.size, a_high, best.b + best.size, b_high, out);
}

/// Lines [a_low, a_high) became [b_low, b_high).
struct Change {
  size_t a_low, a_high, b_low, b_high;
};

std::vector<Change> changes_between(const Lines& a, const Lines& b) {
  std::vector<Block> blocks;
  match(a, b, 0, a.size(), 0, b.size(), blocks);
  blocks.push_back({a.size(), b.size(), 0});
  std::vector<Change> out;
  size_t i = 0;
  size_t j = 0;
  for (const Block& block : blocks) {
    if (i < block.a || j < block.b) out.push_back({i, block.a, j, block.b});
    i = block.a + block.size;
    j = block.b + block.size;
  }
  return out;
}

std::string range(size_t low, size_t high) {
  const size_t length = high - low;
  if (length == 1) return fmt::format("{}", low + 1);
  return fmt::format("{},{}", length == 0 ? low : low + 1, length);
}

constexpr size_t kAround = 3;

/// One hunk: changes [first, last) with the lines around and between them.
void print_hunk(std::string& out, const Lines& a, const Lines& b, const Change* first,
                const Change* last) {
  const size_t before = std::min(kAround, first->a_low);
  const size_t after = std::min(kAround, a.size() - (last - 1)->a_high);
  out += fmt::format("@@ -{} +{} @@\n", range(first->a_low - before, (last - 1)->a_high + after),
                     range(first->b_low - before, (last - 1)->b_high + after));
  size_t line = first->a_low - before;
  const auto print_until = [&](size_t end) {
    for (; line < end; ++line) out.append(" ").append(a[line]).append("\n");
  };
  for (const Change* change = first; change != last; ++change) {
    print_until(change->a_low);
    for (; line < change->a_high; ++line) out.append("-").append(a[line]).append("\n");
    for (size_t j = change->b_low; j < change->b_high; ++j)
      out.append("+").append(b[j]).append("\n");
  }
  print_until(line + after);
}

Value zero_of(Zero zero) {
  switch (zero) {
    case Zero::Text:
      return "";
    case Zero::Number:
      return 0;
    case Zero::False:
      return false;
    case Zero::Null:
      break;
  }
  return nullptr;
}

}  // namespace

Value go_struct(const Value& value, std::initializer_list<GoField> fields) {
  model::Object out;
  for (const GoField& field : fields) {
    const Value* member = model::find(value, {field.name});
    out.emplace(field.go_name, member == nullptr ? zero_of(field.zero) : *member);
  }
  return out;
}

Value go_pointer(const Value& value, std::initializer_list<GoField> fields) {
  return value.is_object() ? go_struct(value, fields) : Value(nullptr);
}

Value go_reference(const Value& reference) {
  return go_struct(reference, {{"Kind", "kind"},
                               {"Namespace", "namespace"},
                               {"Name", "name"},
                               {"UID", "uid"},
                               {"APIVersion", "apiVersion"},
                               {"ResourceVersion", "resourceVersion"},
                               {"FieldPath", "fieldPath"}});
}

std::string go_diff(const Value& before, const Value& after) {
  std::string one;
  std::string other;
  print(one, before, "");
  print(other, after, "");
  const Lines a = split(one, '\n');
  const Lines b = split(other, '\n');
  const std::vector<Change> changes = changes_between(a, b);
  std::string out;
  for (size_t i = 0; i < changes.size();) {
    size_t end = i + 1;
    while (end < changes.size() && changes[end].a_low - changes[end - 1].a_high <= 2 * kAround)
      ++end;
    print_hunk(out, a, b, &changes[i], &changes[i] + (end - i));
    i = end;
  }
  return out;
}

}  // namespace holdfast::apiserver
