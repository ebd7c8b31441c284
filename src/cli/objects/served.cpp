#include "objects/served.h"

#include <holdfast/base/text.h>

#include "objects/accepting.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::Value;

constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

std::vector<std::string> texts_at(const Value& from, std::string_view member) {
  std::vector<std::string> out;
  for (const Value& each : model::array_at(from, {member}))
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Served served_of(const Value& resource, std::string_view group, std::string_view version) {
  Served out;
  out.group = group;
  out.version = version;
  out.plural = model::string_at(resource, {"resource"});
  out.kind = model::string_at(resource, {"responseKind", "kind"});
  out.singular = model::string_at(resource, {"singularResource"});
  if (out.singular.empty()) out.singular = to_lower(out.kind);
  out.short_names = texts_at(resource, "shortNames");
  out.categories = texts_at(resource, "categories");
  out.verbs = texts_at(resource, "verbs");
  out.namespaced = model::string_at(resource, {"scope"}) != "Cluster";
  return out;
}

/// Whether the group is the one asked for; kubectl takes the beginning of one too.
bool fits(const Served& served, std::string_view version, std::string_view group, bool whole) {
  if (!version.empty() && served.version != version) return false;
  if (version.empty() && !served.preferred) return false;
  if (group.empty()) return true;
  return whole ? served.group == group : served.group.starts_with(group);
}

bool is_version(std::string_view text) {
  return text.size() > 1 && text[0] == 'v' && text[1] >= '0' && text[1] <= '9';
}

}  // namespace

std::string Served::prefix() const { return group.empty() ? singular : singular + "." + group; }

Result<Catalogue> Catalogue::read(const std::vector<Value>& lists) {
  Catalogue out;
  for (const Value& list : lists) {
    if (model::string_at(list, {"kind"}) != "APIGroupDiscoveryList")
      return Error(Fault::Invalid, "the server does not say at once what it serves")
          .with_hint("it is older than Kubernetes 1.26");
    for (const Value& group : model::array_at(list, {"items"})) {
      bool first = true;
      for (const Value& version : model::array_at(group, {"versions"})) {
        for (const Value& resource : model::array_at(version, {"resources"})) {
          Served served = served_of(resource, model::string_at(group, {"metadata", "name"}),
                                    model::string_at(version, {"version"}));
          served.preferred = first;
          out.all_.push_back(std::move(served));
        }
        first = false;
      }
    }
  }
  return out;
}

kube::Reply<Catalogue> Catalogue::ask(kube::Client& client) {
  Accepting transport(client.transport(), kAggregated);
  kube::Client asking = client.with(transport, client.settings());
  std::vector<Value> lists;
  for (const char* path : {"/api", "/apis"})
    lists.push_back(HF_TRY(asking.raw("GET", path, Value())));
  Result<Catalogue> read = Catalogue::read(lists);
  if (!read) return kube::Failure{read.take_error()};
  return read.take();
}

const Served* Catalogue::one(std::string_view name, std::string_view version,
                             std::string_view group) const {
  const std::string lower = to_lower(name);
  const auto look = [&](bool whole, const auto& named) -> const Served* {
    for (const Served& each : all_)
      if (fits(each, version, group, whole) && named(each)) return &each;
    return nullptr;
  };
  // A name of its own comes before another kind's short name, an exact group before a beginning.
  for (const bool whole : {true, false}) {
    if (const Served* found = look(whole, [&lower](const Served& each) {
          return each.plural == lower || each.singular == lower || to_lower(each.kind) == lower;
        }))
      return found;
    if (const Served* found =
            look(whole, [&lower](const Served& each) { return contains(each.short_names, lower); }))
      return found;
  }
  return nullptr;
}

bool Catalogue::has(const kube::Resource& kind) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&kind](const Served& each) { return each.resource() == kind; });
}

Result<std::vector<const Served*>> Catalogue::find(std::string_view word) const {
  std::vector<const Served*> found;
  for (const Served& each : all_)
    if (each.preferred && contains(each.categories, word) && contains(each.verbs, "list"))
      found.push_back(&each);
  if (!found.empty()) return found;
  const size_t dot = word.find('.');
  const std::string_view name = word.substr(0, dot);
  const std::string_view rest = dot == word.npos ? "" : word.substr(dot + 1);
  const std::string_view version = rest.substr(0, rest.find('.'));
  const Served* one_found = nullptr;
  if (is_version(version))  // deployments.v1.apps, pods.v1.
    one_found =
        one(name, version, version.size() < rest.size() ? rest.substr(version.size() + 1) : "");
  if (one_found == nullptr) one_found = one(name, "", rest);
  if (one_found != nullptr) return std::vector{one_found};
  return Error(Fault::NotFound,
               fmt::format("the server doesn't have a resource type {}", holdfast::quoted(name)));
}

Result<std::vector<Wanted>> read_wanted(const std::vector<std::string>& words) {
  const auto has_slash = [](const std::string& word) { return word.find('/') != word.npos; };
  std::vector<Wanted> out;
  if (!words.empty() && has_slash(words.front())) {
    for (const std::string& word : words) {
      const size_t slash = word.find('/');
      if (slash == word.npos || slash == 0 || slash + 1 == word.size() ||
          word.find('/', slash + 1) != word.npos)
        return Error(Fault::Invalid,
                     "arguments in resource/name form may not have more than one slash, and all "
                     "must have one");
      out.push_back({word.substr(0, slash), word.substr(slash + 1)});
    }
    return out;
  }
  const std::string kinds = words.empty() ? "" : words.front();
  for (const std::string_view kind : split(kinds, ',')) {
    if (kind.empty()) continue;
    if (words.size() == 1) out.push_back({std::string(kind), ""});
    for (size_t at = 1; at < words.size(); ++at) {
      if (has_slash(words[at]))
        return Error(
            Fault::Invalid,
            "there is no need to specify a resource type as a separate argument when passing "
            "arguments in resource/name form (e.g. 'holdfast get resource/<resource_name>' instead "
            "of 'holdfast get resource resource/<resource_name>'");
      out.push_back({std::string(kind), words[at]});
    }
  }
  if (out.empty()) return Error(Fault::Invalid, "Required resource not specified.");
  return out;
}

}  // namespace holdfast::cli
