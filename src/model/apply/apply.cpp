// Server-side apply: the config is laid over the live object, what its owner gave up is taken out,
// and other owners of changed fields lead to a conflict or lose them (force).

#include <holdfast/base/text.h>
#include <holdfast/model/apply.h>
#include <holdfast/model/time.h>

#include "apply/fields_v1.h"
#include "apply/last_applied.h"
#include "apply/merge.h"
#include "apply/updates.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace apply {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";
// Only kubectl's own default name takes part in the migration from the annotation.
constexpr std::string_view kKubectl = "kubectl";

// More are not named: each carries its whole path, and a hostile object has very many very long
// ones.
constexpr size_t kMaxConflicts = 1000;

struct Conflict {
  const Owner* owner;
  std::vector<Element> path;
};

// A failure that the real server has no reason word for.
Status plain_failure(std::string message) {
  Status status;
  status.message = std::move(message);
  return status;
}

// "apps/v1, Kind=Deployment", "/v1, Kind=Pod"; an apiVersion that does not parse counts as none.
std::string gvk_text(const Value& object) {
  const std::string_view api_version = string_at(object, {"apiVersion"});
  const auto parsed = GroupVersion::parse(api_version);
  const GroupVersion gv = parsed ? *parsed : GroupVersion();
  return fmt::format("{}/{}, Kind={}", gv.group, gv.version, string_at(object, {"kind"}));
}

std::string_view expected_kind(const Value& live, const Schema& schema) {
  if (const std::string_view kind = string_at(live, {"kind"}); !kind.empty()) return kind;
  if (!schema.shape) return {};
  const std::string_view name = schema.shape->name;
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::optional<Status> check_config(Arena& arena, const Value& live, const Value& config,
                                   const Schema& schema, const Writer& writer) {
  const std::string_view kind = expected_kind(live, schema);
  if (string_at(config, {"apiVersion"}) != writer.api_version ||
      (!kind.empty() && string_at(config, {"kind"}) != kind))
    return bad_request("invalid object type: " + gvk_text(config));
  if (!array_at(config, {"metadata", "managedFields"}).empty())
    return bad_request("metadata.managedFields must be nil");
  const std::string wrong = check_typed(arena, root_type(schema), config);
  if (wrong.empty()) return std::nullopt;
  return plain_failure(fmt::format("failed to create typed patch object ({}/{}; {}): {}",
                                   string_at(config, {"metadata", "namespace"}),
                                   string_at(config, {"metadata", "name"}), gvk_text(config),
                                   wrong));
}

// Members of a level first, then what is below them: the order in which the server lists conflicts.
void list_paths(const Set& set, const Owner& owner, std::vector<Element>& prefix,
                std::vector<Conflict>& out) {
  for (const Node& node : set) {
    if (!node.member || out.size() >= kMaxConflicts) continue;
    prefix.push_back(node.element);
    out.push_back({&owner, prefix});
    prefix.pop_back();
  }
  for (const Node& node : set) {
    prefix.push_back(node.element);
    list_paths(node.children, owner, prefix, out);
    prefix.pop_back();
  }
}

// `allowed` fields are no conflict, whoever owns them.
std::vector<Conflict> conflicts_of(Arena& arena, const Owners& owners, const Comparison& comparison,
                                   const Owner& applier, const Set& allowed) {
  const Set changed = subtract(arena, unite(arena, comparison.modified, comparison.added), allowed);
  std::vector<const Owner*> others;
  for (const Owner& owner : owners.all())
    if (!owner.same_writer(applier)) others.push_back(&owner);
  std::sort(others.begin(), others.end(),
            [](const Owner* a, const Owner* b) { return owner_id(*a) < owner_id(*b); });
  std::vector<Conflict> conflicts;
  std::vector<Element> prefix;
  for (const Owner* owner : others)
    list_paths(intersect(arena, owner->set, changed), *owner, prefix, conflicts);
  return conflicts;
}

Status conflict_status(const std::vector<Conflict>& conflicts) {
  Status status;
  status.code = 409;
  status.reason = "Conflict";
  Status::Details details;
  std::string list;
  const Owner* last = nullptr;
  for (const Conflict& conflict : conflicts) {
    const std::string owner = owner_text(*conflict.owner);
    const std::string path = path_text(conflict.path);
    details.causes.push_back({"FieldManagerConflict", "conflict with " + owner, path});
    if (conflicts.size() == 1) {
      list = fmt::format("conflict with {}: {}", owner, path);
      break;
    }
    if (conflict.owner != last)
      list += fmt::format("{}conflicts with {}:", list.empty() ? "" : "\n", owner);
    last = conflict.owner;
    list += "\n- " + path;
  }
  status.message = fmt::format("Apply failed with {} conflict{}: {}", conflicts.size(),
                               conflicts.size() == 1 ? "" : "s", list);
  status.details = std::move(details);
  return status;
}

// Takes out of `merged` what the applier owned before and nobody owns now. Items that others put
// below it stay.
Value prune(Arena& arena, const TypeRef& type, const Value& merged, const Owners& owners,
            const Set& last) {
  const auto named = [&](const Set& set) { return with_named_parents(arena, type, set); };
  const Set last_named = named(last);
  const Set merged_set = named(field_set_of(arena, type, merged));
  Set owned;
  for (const Owner& owner : owners.all()) owned = unite(arena, owned, owner.set);

  const Value bare = remove_items(arena, type, merged, last_named);
  const Set kept = unite(arena, named(field_set_of(arena, type, bare)), named(owned));
  const Value with_owned = remove_items(arena, type, merged, subtract(arena, merged_set, kept));
  const Set gone = subtract(arena, merged_set, named(field_set_of(arena, type, with_owned)));
  const Set given_up = intersect(arena, gone, last_named);
  return given_up.empty() ? merged : remove_items(arena, type, merged, given_up);
}

class Application {
 public:
  Application(const Value& live, const Value& config, const Schema& schema, const Writer& writer,
              const std::vector<std::string>& ignored)
      : live_(live),
        config_(config),
        writer_(writer),
        type_(root_type(schema)),
        zero_(zero_object(schema)),
        ignored_(ignored_set(arena_, ignored)),
        applier_(owner_for(writer, true)) {}

  Answer<Value> run(bool force) {
    if (auto failure = read_owners()) return std::move(*failure);
    const Set last = install_config();
    const Value result = merge_and_prune(last);
    const auto compared = compare(arena_, type_, live_or_empty(), result);
    if (!compared) return plain_failure("failed to compare objects");
    const Comparison comparison = without_ignored(arena_, *compared, ignored_);
    if (!force)
      if (auto conflict = find_conflicts(comparison)) return std::move(*conflict);
    take_from_others(arena_, owners_, comparison, &applier_);
    if (Owner* mine = owners_.find(applier_))
      mine->replace_set(without_identity(arena_, mine->set));
    owners_.drop_empty();
    return finish(result);
  }

 private:
  const Value& live_or_empty() const { return live_.is_null() ? empty_ : live_; }

  std::optional<Status> read_owners() {
    std::string why;
    auto owners = decode_owners(arena_, find(live_, {"metadata", "managedFields"}), type_, &why);
    if (!owners) return plain_failure("failed to decode managed fields: " + why);
    owners_ = std::move(*owners);
    if (!owners_.empty() || live_.is_null()) {
      drop_foreign_groups(owners_, writer_.api_version);
      return std::nullopt;
    }
    Writer before = writer_;
    before.manager = kBeforeFirstApply;
    if (!record_update(arena_, owners_, type_, zero_, live_, before, ignored_))
      return plain_failure(
          "failed to create manager for existing fields: failed to compare objects");
    return std::nullopt;
  }

  // The config becomes what the applier owns; returns what it owned before.
  Set install_config() {
    Owner& mine = owners_.put(applier_);
    const Set last = mine.set;
    mine.replace_set(subtract_trees(arena_, field_set_of(arena_, type_, config_), ignored_));
    mine.api_version = writer_.api_version;
    return last;
  }

  Value merge_and_prune(const Set& last) {
    Value merged = live_.is_null() ? config_ : merge(arena_, type_, live_, config_);
    const Set now = with_named_parents(arena_, type_, owners_.find(applier_)->set);
    if (subtract(arena_, with_named_parents(arena_, type_, last), now).empty()) return merged;
    const Value& kept = *arena_.keep(std::move(merged));
    return prune(arena_, type_, kept, owners_, last);
  }

  std::optional<Status> find_conflicts(const Comparison& comparison) {
    std::vector<Conflict> conflicts = conflicts_of(arena_, owners_, comparison, applier_, Set());
    if (!conflicts.empty() && writer_.manager == kKubectl) {
      const Set allowed = fields_from_annotation(arena_, type_, live_, writer_.api_version);
      conflicts = conflicts_of(arena_, owners_, comparison, applier_, allowed);
    }
    if (conflicts.empty()) return std::nullopt;
    return conflict_status(conflicts);
  }

  Value finish(const Value& result) {
    const bool changed = live_.is_null() || !equal(live_, result);
    Owner* mine = owners_.find(applier_);
    if (changed && mine) mine->time = to_rfc3339(writer_.now);
    Value object = changed ? result : live_;
    if (changed) drop_nulls(type_, object);
    write_owners(object, owners_);
    if (writer_.manager == kKubectl) update_annotation(object, config_);
    return object;
  }

  const Value& live_;
  const Value& config_;
  const Writer& writer_;
  Arena arena_;
  TypeRef type_;
  Value empty_ = Object();
  Value zero_;
  Set ignored_;
  Owner applier_;
  Owners owners_;
};

}  // namespace
}  // namespace apply

Answer<Value> apply_config(const Value& live, const Value& config, const Schema& schema,
                           const Writer& writer, bool force,
                           const std::vector<std::string>& ignored) {
  apply::Arena arena;
  if (auto refusal = apply::check_config(arena, live, config, schema, writer))
    return std::move(*refusal);
  return apply::Application(live, config, schema, writer, ignored).run(force);
}

}  // namespace holdfast::model
