/// Names of CustomResourceDefinitions: which are accepted, and the conditions that say so.
#include <holdfast/base/text.h>
#include <holdfast/model/names.h>

#include "crd/definition.h"
#include "crd/definition_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::apiserver {

using model::child;
using model::FieldErrors;
using model::Object;
using model::Value;

namespace {

using Taken = std::set<std::string, std::less<>>;

struct Verdict {
  std::string type, status, reason, message;
};

/// Names that other definitions of the group hold.
void note_accepted(const Value& other, Taken& resources, Taken& kinds) {
  const Value* names = model::find(other, {"status", "acceptedNames"});
  if (!names) return;
  for (const char* name : {"plural", "singular"})
    resources.emplace(model::string_at(*names, {name}));
  for (const Value& name : model::array_at(*names, {"shortNames"}))
    if (name.is_string()) resources.emplace(model::view(name.get_string()));
  for (const char* name : {"kind", "listKind"}) kinds.emplace(model::string_at(*names, {name}));
}

class Names {
 public:
  Names(const Value& wanted, Object& accepted, const Taken& resources, const Taken& kinds)
      : wanted_(wanted), accepted_(accepted), resources_(resources), kinds_(kinds) {}

  /// Gives out what is free. The last conflict is the one that is told.
  Verdict decide() {
    one("plural", "PluralConflict", resources_);
    one("singular", "SingularConflict", resources_);
    short_names();
    one("kind", "KindConflict", kinds_);
    one("listKind", "ListKindConflict", kinds_);
    copy("categories");
    return verdict_;
  }

 private:
  void refuse(const char* reason, std::string message) {
    verdict_ = {"NamesAccepted", "False", reason, std::move(message)};
  }

  void copy(const char* name) {
    const Value* value = model::find(wanted_, {name});
    const bool empty = !value || value->is_null() ||
                       (value->is_string() && value->get_string().empty()) ||
                       (value->is_array() && value->get_array().empty());
    if (empty)
      accepted_.erase(name);
    else
      accepted_[name] = *value;
  }

  void one(const char* name, const char* reason, const Taken& taken) {
    const std::string_view text = model::string_at(wanted_, {name});
    const Value* had = accepted_.if_contains(name);
    const bool ours = had && had->is_string() && model::view(had->get_string()) == text;
    if (!ours && taken.contains(text))
      refuse(reason, quoted(text) + " is already in use");
    else
      copy(name);
  }

  void short_names() {
    const Value* had = accepted_.if_contains("shortNames");
    std::vector<std::string> conflicts;
    for (const Value& name : model::array_at(wanted_, {"shortNames"})) {
      const bool ours = had && had->is_array() &&
                        std::any_of(had->get_array().begin(), had->get_array().end(),
                                    [&](const Value& held) { return held == name; });
      const std::string_view text =
          name.is_string() ? model::view(name.get_string()) : std::string_view();
      if (!ours && resources_.contains(text))
        conflicts.push_back(quoted(text) + " is already in use");
    }
    if (conflicts.empty()) return copy("shortNames");
    refuse("ShortNamesConflict",
           conflicts.size() == 1 ? conflicts[0] : "[" + join(conflicts, ", ") + "]");
  }

  const Value& wanted_;
  Object& accepted_;
  const Taken& resources_;
  const Taken& kinds_;
  Verdict verdict_{"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
};

Value* find_condition(Value& definition, std::string_view type) {
  Value* list = model::find(definition, {"status", "conditions"});
  if (!list || !list->is_array()) return nullptr;
  for (Value& condition : list->get_array())
    if (model::string_at(condition, {"type"}) == type) return &condition;
  return nullptr;
}

void put(Value& definition, const Verdict& verdict, std::string_view now) {
  Value* condition = find_condition(definition, verdict.type);
  if (!condition) {
    Value& list = model::ensure_object(definition, {"status"})["conditions"];
    if (!list.is_array()) list = model::Array();
    condition = &list.get_array().emplace_back(Object());
  }
  Object& out = condition->get_object();
  const bool moved = model::string_at(*condition, {"status"}) != verdict.status;
  if (moved || !out.contains("lastTransitionTime")) out["lastTransitionTime"] = now;
  out["message"] = verdict.message;
  out["reason"] = verdict.reason;
  out["status"] = verdict.status;
  out["type"] = verdict.type;
}

Verdict approval_verdict(const ApprovalState& approval) {
  const char* reason = approval.state == Approval::Approved   ? "ApprovedAnnotation"
                       : approval.state == Approval::Bypassed ? "UnapprovedAnnotation"
                       : approval.state == Approval::Missing  ? "MissingAnnotation"
                                                              : "InvalidAnnotation";
  return {"KubernetesAPIApprovalPolicyConformant",
          approval.state == Approval::Approved ? "True" : "False", reason, approval.reason};
}

bool is_url(std::string_view text) {
  const size_t colon = text.find("://");
  return colon != text.npos && colon > 0 && text.size() > colon + 3 && text[colon + 3] != '/' &&
         text.find_first_of(" \t") == text.npos;
}

}  // namespace

bool has_condition(const Value& definition, std::string_view type) {
  for (const Value& condition : model::array_at(definition, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == type)
      return model::string_at(condition, {"status"}) == "True";
  return false;
}

bool settle_definition(Value& definition, const std::vector<const Value*>& others,
                       std::string_view now) {
  const Value* status = model::find(definition, {"status"});
  const Value before = status ? *status : Value();
  const std::string_view group = model::string_at(definition, {"spec", "group"});
  const std::string_view name = model::string_at(definition, {"metadata", "name"});
  Taken resources, kinds;
  for (const Value* other : others)
    if (model::string_at(*other, {"spec", "group"}) == group &&
        model::string_at(*other, {"metadata", "name"}) != name)
      note_accepted(*other, resources, kinds);

  const Value* wanted = model::find(definition, {"spec", "names"});
  const Value names = wanted ? *wanted : Value(Object());
  Object& accepted = model::ensure_object(definition, {"status", "acceptedNames"});
  const Verdict verdict = Names(names, accepted, resources, kinds).decide();
  // Go prints these two even when they are empty.
  for (const char* always : {"plural", "kind"})
    if (!accepted.contains(always)) accepted[always] = "";
  put(definition, verdict, now);
  if (!has_condition(definition, "Established")) {
    if (verdict.status == "True")
      put(definition,
          {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"},
          now);
    else if (!find_condition(definition, "Established"))
      put(definition, {"Established", "False", "NotAccepted", "not all names are accepted"}, now);
  }
  const ApprovalState approval = approval_of(definition);
  if (approval.state != Approval::Unneeded) put(definition, approval_verdict(approval), now);
  return !model::equal(before, *model::find(definition, {"status"}));
}

ApprovalState approval_of(const Value& definition) {
  const std::string group = "." + std::string(model::string_at(definition, {"spec", "group"}));
  if (!group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io")) return {};
  const std::string_view note =
      model::string_at(definition, {"metadata", "annotations", kApproved});
  const std::string must = "protected groups must have approval annotation " + quoted(kApproved);
  const std::string see = ", see https://github.com/kubernetes/enhancements/pull/1111";
  if (note.empty()) return {Approval::Missing, must + see};
  if (note.starts_with("unapproved")) return {Approval::Bypassed, "not approved: " + quoted(note)};
  if (is_url(note)) return {Approval::Approved, "approved in " + std::string(note)};
  return {Approval::Invalid,
          must + " with either a URL or a reason starting with \"unapproved\"" + see};
}

void check_definition_names(const Value& names, const std::string& path, FieldErrors& errors) {
  auto check = [&](const std::string& where, std::string_view text, bool mixed_case) {
    const auto complaints = model::check_dns1035_label(mixed_case ? to_lower(text) : text);
    if (complaints.empty()) return;
    errors.push_back(model::invalid_field(
        where, Value(text),
        (mixed_case ? "may have mixed case, but should otherwise match: " : "") +
            join(complaints, ",")));
  };
  for (const char* name : {"plural", "singular", "kind", "listKind"}) {
    const std::string_view text = model::string_at(names, {name});
    const std::string_view which = name;
    if (!text.empty()) check(child(path, name), text, which == "kind" || which == "listKind");
  }
  auto check_list = [&](const char* name) {
    const model::Array& list = model::array_at(names, {name});
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].is_string())
        check(model::at(child(path, name), i), model::view(list[i].get_string()), false);
  };
  check_list("shortNames");
  const std::string_view kind = model::string_at(names, {"kind"});
  if (!kind.empty() && kind == model::string_at(names, {"listKind"}))
    errors.push_back(model::invalid_field(child(path, "listKind"), Value(kind),
                                          "kind and listKind may not be the same"));
  check_list("categories");
}

}  // namespace holdfast::apiserver
