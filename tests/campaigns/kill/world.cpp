#include "kill/world.h"

#include "server_process.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

namespace holdfast::campaign {
namespace {

constexpr std::string_view kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "marks.campaign.example.com"},
  "spec": {"group": "campaign.example.com", "scope": "Namespaced",
    "names": {"plural": "marks", "singular": "mark", "kind": "Mark", "listKind": "MarkList"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
      "type": "object", "properties": {"spec": {"type": "object", "properties": {
        "seq": {"type": "string"}, "pad": {"type": "string"}}}}}}}]}})";

int64_t number(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A definition is served a moment after it was written.
Result<void> create_sentinel(net::Client& client, const Kind& kind) {
  const std::string text = object_text(kind, "sentinel", "none", {"", 0, "first"}, 0);
  for (int attempt = 0;; ++attempt) {
    Result<std::string> made = send(client, "POST", kind.path, text);
    if (made) return ok();
    if (attempt == 200) return made.take_error();
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"configmaps", "/api/v1/namespaces/campaign/configmaps",
       R"("apiVersion":"v1","kind":"ConfigMap")", "data"},
      {"marks", "/apis/campaign.example.com/v1/namespaces/campaign/marks",
       R"("apiVersion":"campaign.example.com/v1","kind":"Mark")", "spec"}};
  return all;
}

Version version_of(const Kind& kind, const model::Value& object) {
  return {std::string(model::string_at(object, {"metadata", "uid"})),
          number(model::string_at(object, {"metadata", "resourceVersion"})),
          std::string(model::string_at(object, {kind.field, "seq"}))};
}

Result<Event> parse_event(const Kind& kind, std::string line) {
  const model::Parsed parsed = HF_TRY(model::parse_json(line));
  const model::Value* object = model::find(parsed.value, {"object"});
  if (object == nullptr) return Error(Fault::Invalid, "an event without an object: " + line);
  return Event{std::string(model::string_at(parsed.value, {"type"})),
               std::string(model::string_at(*object, {"metadata", "name"})),
               version_of(kind, *object), std::move(line)};
}

int64_t revision_in(std::string_view line) {
  constexpr std::string_view kMark = "\"resourceVersion\":\"";
  const size_t at = line.find(kMark);
  return at == std::string_view::npos ? 0 : number(line.substr(at + kMark.size()));
}

Result<Listing> read_listing(net::Client& client, const Kind& kind) {
  const std::string body = HF_TRY(send(client, "GET", kind.path));
  const model::Parsed parsed = HF_TRY(model::parse_json(body));
  Listing listing;
  listing.revision = number(model::string_at(parsed.value, {"metadata", "resourceVersion"}));
  for (const model::Value& item : model::array_at(parsed.value, {"items"}))
    listing.state.emplace(model::string_at(item, {"metadata", "name"}), version_of(kind, item));
  return listing;
}

std::string object_text(const Kind& kind, const std::string& name, const std::string& owner,
                        const Version& version, size_t padding) {
  std::string identity;
  if (!version.uid.empty()) identity += fmt::format(R"(,"uid":"{}")", version.uid);
  if (version.revision != 0)
    identity += fmt::format(R"(,"resourceVersion":"{}")", version.revision);
  return fmt::format(
      R"({{{},"metadata":{{"name":"{}","labels":{{"owner":"{}"}}{}}},"{}":{{"seq":"{}","pad":"{}"}}}})",
      kind.head, name, owner, identity, kind.field, version.seq, std::string(padding, 'x'));
}

Result<void> prepare(net::Client& client) {
  HF_TRY(send(client, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"campaign"}})"));
  HF_TRY(send(client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
              std::string(kDefinition)));
  for (const Kind& kind : kinds()) HF_TRY(create_sentinel(client, kind));
  return ok();
}

Result<int64_t> touch_sentinel(net::Client& client, const Kind& kind, const std::string& seq) {
  const std::string body = HF_TRY(send(client, "PATCH", kind.path + "/sentinel",
                                       fmt::format(R"({{"{}":{{"seq":"{}"}}}})", kind.field, seq),
                                       "application/merge-patch+json"));
  const model::Parsed parsed = HF_TRY(model::parse_json(body));
  return version_of(kind, parsed.value).revision;
}

}  // namespace holdfast::campaign
