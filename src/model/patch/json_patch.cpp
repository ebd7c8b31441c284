/// RFC 6902 as the real server applies it, deviations included (each was seen on a real server):
///   - replace of a member that is not there adds it; test of one against null holds; copy of one
///   copies null;
///   - an array index may be negative and counts from the end; "-" is the place after the last in
///   add;
///   - the text before a path's first slash is not looked at, and a path without a slash leads
///   nowhere;
///   - replace of the whole document by a scalar changes nothing.
/// Copies are bounded in bytes and every insertion in depth, so that a short patch cannot build a
/// giant.
#include <holdfast/base/text.h>
#include <holdfast/model/patch.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace holdfast::model {
namespace {

constexpr size_t kMaxCopiedBytes = 3u << 20;

std::string_view kind_name(const Value& value) {
  if (value.is_object()) return "object";
  if (value.is_array()) return "array";
  if (value.is_string()) return "string";
  return value.is_bool() ? "bool" : "number";
}

Error undecodable(const Value& value, std::string_view into) {
  return Error(Fault::Invalid,
               fmt::format("error decoding patch: json: cannot unmarshal {} into Go {}",
                           kind_name(value), into));
}

Error refused(std::string what) { return Error(Fault::Conflict, std::move(what)); }

struct Operation {
  std::string op;
  std::optional<std::string> path;
  std::optional<std::string> from;
  Value value;
};

Result<void> read_text(const Object& in, std::string_view name, std::optional<std::string>& out) {
  const Value* value = in.if_contains(boost::json::string_view(name.data(), name.size()));
  if (!value || value->is_null()) return ok();
  if (!value->is_string())
    return undecodable(*value, fmt::format("struct field jsonPatchOp.{} of type string", name));
  out = view(value->get_string());
  return ok();
}

Result<Operation> read_operation(const Value& value) {
  Operation out;
  if (value.is_null()) return out;
  if (!value.is_object()) return undecodable(value, "value of type handlers.jsonPatchOp");
  const Object& in = value.get_object();
  std::optional<std::string> op;
  HF_TRY(read_text(in, "op", op));
  HF_TRY(read_text(in, "path", out.path));
  HF_TRY(read_text(in, "from", out.from));
  out.op = op.value_or("");
  if (const Value* given = in.if_contains("value")) out.value = *given;
  return out;
}

Result<std::vector<Operation>> read_patch(const Value& patch) {
  std::vector<Operation> out;
  if (patch.is_null()) return out;
  if (!patch.is_array()) return undecodable(patch, "value of type []handlers.jsonPatchOp");
  for (const Value& item : patch.get_array()) out.push_back(HF_TRY(read_operation(item)));
  return out;
}

/// ~1 is a slash and ~0 a tilde, each taken once from left to right.
std::string decoded(std::string_view key) {
  std::string out;
  for (size_t i = 0; i < key.size(); ++i) {
    const bool escape =
        key[i] == '~' && i + 1 < key.size() && (key[i + 1] == '0' || key[i + 1] == '1');
    out += escape ? (key[++i] == '1' ? '/' : '~') : key[i];
  }
  return out;
}

/// Go's Atoi: an optional sign and digits, leading zeros allowed.
std::optional<int64_t> as_index(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t index = 0;
  const char* const end = text.data() + text.size();
  const auto [last, ec] = std::from_chars(text.data(), end, index);
  if (ec != std::errc{} || last != end) return std::nullopt;
  return index;
}

/// The position in a list of `size` places; negative counts from the end.
std::optional<size_t> position(std::string_view key, size_t size) {
  const auto index = as_index(key);
  if (!index) return std::nullopt;
  const int64_t from_start = *index < 0 ? *index + int64_t(size) : *index;
  if (from_start < 0 || from_start >= int64_t(size)) return std::nullopt;
  return size_t(from_start);
}

size_t depth_of(const Value& value) {
  size_t inner = 0;
  if (const Array* array = value.if_array())
    for (const Value& item : *array) inner = std::max(inner, depth_of(item));
  if (const Object* object = value.if_object())
    for (const auto& member : *object) inner = std::max(inner, depth_of(member.value()));
  return value.is_structured() ? inner + 1 : 0;
}

/// Where an operation works: a container that exists, and a key that may or may not be in it.
struct Target {
  Value* container = nullptr;
  std::string key;
  size_t depth = 0;

  Object* object() const { return container->if_object(); }
  Array& array() const { return container->get_array(); }
};

class Patcher {
 public:
  explicit Patcher(Value& root) : root_(root) {}

  Result<void> apply(const Operation& operation) {
    const std::string& op = operation.op;
    if (op != "add" && op != "remove" && op != "replace" && op != "move" && op != "test" &&
        op != "copy")
      return refused("Unexpected kind: " + op);
    if (!operation.path) return refused(op + " operation failed to decode path");
    if (op == "move" || op == "copy") return transfer(operation);
    if (operation.path->empty() && op == "replace") return replace_root(operation.value);
    if (operation.path->empty() && op == "test") return expect_equal(root_, operation);
    Target target = HF_TRY(locate(op, *operation.path));
    if (op == "add") return add(target, operation.value, *operation.path);
    if (op == "remove") return remove(target, *operation.path);
    if (op == "replace") return replace(target, operation);
    const Value* found = HF_TRY(get(target, *operation.path));
    return expect_equal(found ? *found : Value(), operation);
  }

 private:
  Result<Target> locate(std::string_view op, std::string_view path) {
    const auto missing = [&] {
      return refused(
          fmt::format("{} operation does not apply: doc is missing path: {}", op, quoted(path)));
    };
    const auto parts = split(path, '/');
    if (parts.size() < 2 || !root_.is_structured()) return missing();
    Target target{&root_, decoded(parts.back()), parts.size() - 1};
    for (size_t i = 1; i + 1 < parts.size(); ++i) {
      const auto next = get({target.container, decoded(parts[i]), 0}, path);
      if (!next || !*next || !(*next)->is_structured()) return missing();
      target.container = *next;
    }
    return target;
  }

  static Error bad_index(std::string_view path) {
    return refused(fmt::format("invalid index in path: '{}'", path));
  }

  /// Null for a member that is not there; an index that is not there is an error.
  static Result<Value*> get(const Target& target, std::string_view path) {
    if (Object* object = target.object()) return object->if_contains(target.key);
    const auto index = position(target.key, target.array().size());
    if (!index) return bad_index(path);
    return &target.array()[*index];
  }

  static Result<void> add(const Target& target, Value value, std::string_view path) {
    if (target.depth + depth_of(value) > kMaxDepth) return refused("exceeded max depth");
    if (Object* object = target.object()) {
      (*object)[target.key] = std::move(value);
      return ok();
    }
    Array& array = target.array();
    const auto index = target.key == "-" ? array.size() : position(target.key, array.size() + 1);
    if (!index) return bad_index(path);
    array.insert(array.begin() + *index, std::move(value));
    return ok();
  }

  static Result<void> remove(const Target& target, std::string_view path) {
    if (Object* object = target.object()) {
      const auto it = object->find(target.key);
      if (it == object->end()) return refused("Unable to remove nonexistent key: " + target.key);
      object->stable_erase(it);
      return ok();
    }
    const auto index = position(target.key, target.array().size());
    if (!index) return bad_index(path);
    target.array().erase(target.array().begin() + *index);
    return ok();
  }

  static Result<void> replace(const Target& target, const Operation& operation) {
    Value* old = HF_TRY(get(target, *operation.path));
    if (!old) return add(target, operation.value, *operation.path);
    if (target.depth + depth_of(operation.value) > kMaxDepth) return refused("exceeded max depth");
    *old = operation.value;
    return ok();
  }

  Result<void> replace_root(const Value& value) {
    if (value.is_structured()) root_ = value;
    return ok();
  }

  Result<void> transfer(const Operation& operation) {
    if (!operation.from) return refused(operation.op + " operation failed to decode from");
    Target source = HF_TRY(locate(operation.op, *operation.from));
    Value* found = HF_TRY(get(source, *operation.from));
    Value moved = found ? *found : Value();
    if (operation.op == "move") {
      HF_TRY(remove(source, *operation.from));
    } else {
      copied_ += to_json(moved).size();
      if (copied_ > kMaxCopiedBytes)
        return refused("Unable to complete the copy, the accumulated size increase is too large");
    }
    // Found only now: removing the source may have taken the destination's parent with it.
    Target destination = HF_TRY(locate(operation.op, *operation.path));
    return add(destination, std::move(moved), *operation.path);
  }

  static Result<void> expect_equal(const Value& found, const Operation& operation) {
    if (equal(found, operation.value)) return ok();
    return refused(fmt::format("testing value {} failed", *operation.path));
  }

  Value& root_;
  size_t copied_ = 0;
};

}  // namespace

Result<Value> apply_json_patch(const Value& object, const Value& patch) {
  const std::vector<Operation> operations = HF_TRY(read_patch(patch));
  Value out = object;
  Patcher patcher(out);
  for (const Operation& operation : operations) HF_TRY(patcher.apply(operation));
  return out;
}

}  // namespace holdfast::model
