#include <holdfast/base/text.h>
#include <holdfast/cli/objects.h>
#include <holdfast/cli/refused.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::Array;
using model::string_at;
using model::Value;

constexpr size_t kNamed = 3;

std::vector<std::string> some_names(Server& server, const kube::Resource& resource, bool newest) {
  std::vector<std::string> names;
  const auto take = [&names](const Value& each) {
    names.emplace_back(string_at(each, {"metadata", "name"}));
    return names.size() < kNamed;
  };
  if (!newest) {
    (void)server.client().list(resource, server.ns(), {}, take);
  } else if (const auto all = list_newest(server, resource, server.ns())) {
    for (const Value& each : *all)
      if (!take(each)) break;
  }
  return names;
}

Error not_there(Server& server, const kube::Resource& resource, const std::string& name,
                const Others& others) {
  const std::vector<std::string> names = some_names(server, resource, others.newest);
  const std::string list = fmt::format("see: {} -n {}", others.list, server.ns());
  Error error(Fault::NotFound,
              fmt::format("there is no {} {} in namespace {}", resource.kind, name, server.ns()));
  return std::move(error).with_hint(
      names.empty()
          ? fmt::format("there is none at all; {}", others.first.empty() ? list : others.first)
          : fmt::format("{} are {}; {}", others.newest ? "newest" : "there", join(names, ", "),
                        list));
}

}  // namespace

std::string name_text(const kube::Resource& resource, std::string_view name) {
  return fmt::format("{}{}{}/{}", to_lower(resource.kind), resource.group.empty() ? "" : ".",
                     resource.group, name);
}

Result<Value> read_object(Server& server, const kube::Resource& resource, const std::string& name,
                          const Others& others) {
  auto found = server.client().get(resource, server.ns(), name);
  if (found) return found.take();
  if (is_missing(found.error())) return not_there(server, resource, name, others);
  return refused(server, resource, found.error(), fmt::format("read {} {}", resource.kind, name));
}

Result<Array> list_newest(Server& server, const kube::Resource& resource, const std::string& ns) {
  Array out;
  const auto listed = server.client().list(resource, ns, {}, [&out](Value each) {
    out.push_back(std::move(each));
    return true;
  });
  if (!listed)
    return refused(server, resource, listed.error(), fmt::format("list {}s", resource.kind));
  const auto made = [](const Value& each) {
    return string_at(each, {"metadata", "creationTimestamp"});
  };
  std::stable_sort(out.begin(), out.end(),
                   [&made](const Value& a, const Value& b) { return made(a) > made(b); });
  return out;
}

}  // namespace holdfast::cli
