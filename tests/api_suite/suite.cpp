#include "suite.h"

#include <holdfast/base/random.h>
#include <holdfast/base/text.h>

#include "target.h"

#include <fmt/format.h>

#include <charconv>
#include <thread>

namespace holdfast::suite {
namespace {

using std::chrono::steady_clock;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (from.empty()) return;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

const model::Value* step(const model::Value& value, std::string_view name) {
  if (const model::Object* object = value.if_object()) return object->if_contains(name);
  const model::Array* array = value.if_array();
  size_t index = 0;
  if (array == nullptr ||
      std::from_chars(name.data(), name.data() + name.size(), index).ec != std::errc())
    return nullptr;
  return index < array->size() ? &(*array)[index] : nullptr;
}

std::string random_name() { return SystemRandom().uuid().substr(0, 8); }

}  // namespace

std::string Names::fill(std::string text) const {
  replace_all(text, "$CM", "/api/v1/namespaces/$NS/configmaps");
  replace_all(text, "$POD", "/api/v1/namespaces/$NS/pods");
  replace_all(text, "$PVC", "/api/v1/namespaces/$NS/persistentvolumeclaims");
  replace_all(text, "$W", "/apis/$G/v1/namespaces/$NS/widgets");
  replace_all(text, "$NS", space);
  replace_all(text, "$G", group);
  return text;
}

std::string Names::unfill(std::string text) const {
  replace_all(text, group, "$G");
  replace_all(text, space, "$NS");
  return text;
}

std::string value_at(const model::Value& root, std::string_view path) {
  const model::Value* value = &root;
  while (value != nullptr && !path.empty()) {
    const size_t end = path.find('/');
    std::string name(path.substr(0, end));
    replace_all(name, "~1", "/");
    value = step(*value, name);
    path = end == std::string_view::npos ? "" : path.substr(end + 1);
  }
  if (value == nullptr) return "";
  if (const boost::json::string* text = value->if_string()) return std::string(*text);
  return model::to_json(*value);
}

std::string Reply::at(std::string_view path) const {
  return names.unfill(value_at(json, names.fill(std::string(path))));
}

std::string Reply::failure() const {
  if (at("kind") != "Status" || at("status") == "Success")
    return code < 400 ? std::to_string(code) : fmt::format("{} {}", code, body);
  return fmt::format("{} {}: {}", code, at("reason"), at("message"));
}

std::string Reply::causes() const {
  std::string out;
  for (const model::Value& cause : model::array_at(json, {"details", "causes"})) {
    if (!out.empty()) out += "\n";
    out += fmt::format("{} {}: {}", value_at(cause, "reason"), value_at(cause, "field"),
                       value_at(cause, "message"));
  }
  return names.unfill(out);
}

std::string Reply::items() const {
  std::string out;
  for (const model::Value& item : model::array_at(json, {"items"}))
    out += (out.empty() ? "" : " ") + value_at(item, "metadata/name");
  return out;
}

std::string Event::at(std::string_view path) const { return names.unfill(value_at(object, path)); }

std::string to_body(const std::string& yaml) {
  if (yaml.empty()) return "";
  Result<model::Parsed> parsed = model::parse_yaml(yaml);
  if (!parsed) {
    ADD_FAILURE() << "the case's own body does not parse: " << parsed.error().what();
    return "";
  }
  return model::to_json(parsed->value);
}

void Case::SetUp() {
  names_.space = "case-" + random_name();
  names_.group = "g-" + random_name() + ".suite.example";
  const Reply made =
      post("/api/v1/namespaces", "{apiVersion: v1, kind: Namespace, metadata: {name: $NS}}");
  ASSERT_EQ(made.code, 201) << made.body;
}

void Case::TearDown() {
  if (defined_) del("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.$G");
  del("/api/v1/namespaces/$NS");
}

Reply Case::send(const Ask& ask) {
  net::Call call;
  call.timeout = std::chrono::seconds(20);
  call.method = ask.method;
  call.target = names_.fill(ask.target);
  call.body = names_.fill(ask.body);
  if (!ask.body.empty()) call.headers.set("Content-Type", ask.type);
  call.headers.set("Accept", ask.accept.empty() ? "application/json" : ask.accept);
  for (const auto& [name, value] : ask.headers) call.headers.add(name, names_.fill(value));
  Result<net::Response> response = client_of(ask.user).call(call);
  Reply reply;
  reply.names = names_;
  if (!response) {
    reply.body = response.error().what();
    return reply;
  }
  reply.code = response->status;
  reply.headers = response->headers;
  reply.body = response->body;
  if (Result<model::Parsed> parsed = model::parse_json(reply.body)) reply.json = parsed->value;
  return reply;
}

Reply Case::get(const std::string& target) { return send({.method = "GET", .target = target}); }

Reply Case::post(const std::string& target, const std::string& yaml) {
  return send({.method = "POST", .target = target, .body = to_body(yaml)});
}

Reply Case::put(const std::string& target, const std::string& yaml) {
  return send({.method = "PUT", .target = target, .body = to_body(yaml)});
}

Reply Case::del(const std::string& target, const std::string& yaml) {
  return send({.method = "DELETE", .target = target, .body = to_body(yaml)});
}

Reply Case::merge(const std::string& target, const std::string& yaml) {
  return send({.method = "PATCH",
               .target = target,
               .body = to_body(yaml),
               .type = "application/merge-patch+json"});
}

Reply Case::strategic(const std::string& target, const std::string& yaml) {
  return send({.method = "PATCH",
               .target = target,
               .body = to_body(yaml),
               .type = "application/strategic-merge-patch+json"});
}

Reply Case::json_patch(const std::string& target, const std::string& yaml) {
  return send({.method = "PATCH",
               .target = target,
               .body = to_body(yaml),
               .type = "application/json-patch+json"});
}

Reply Case::apply(const std::string& target, const std::string& options, const std::string& yaml) {
  return send({.method = "PATCH",
               .target = target + "?" + options,
               .body = to_body(yaml),
               .type = "application/apply-patch+yaml"});
}

Reply Case::as(const std::string& user, const std::string& method, const std::string& target,
               const std::string& yaml) {
  return send({.method = method, .target = target, .body = to_body(yaml), .user = user});
}

Reply Case::table(const std::string& target) {
  return send({.method = "GET",
               .target = target,
               .accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"});
}

std::vector<Event> Case::watch(const std::string& target, size_t count, int seconds) {
  net::Call call;
  call.timeout = std::chrono::seconds(30);
  call.target = names_.fill(target);
  call.target += call.target.find('?') == std::string::npos ? "?" : "&";
  call.target += fmt::format("watch=true&timeoutSeconds={}", seconds);
  std::vector<Event> events;
  std::string line;
  const auto take = [&](std::string_view bytes) {
    for (const char byte : bytes) {
      if (byte != '\n') {
        line += byte;
        continue;
      }
      Result<model::Parsed> parsed = model::parse_json(line);
      line.clear();
      if (!parsed) continue;
      events.push_back({value_at(parsed->value, "type"), parsed->value.at("object"), names_});
      if (events.size() == count) return false;
    }
    return true;
  };
  Result<net::Response> response = client_of("").stream(call, take);
  if (!response)
    ADD_FAILURE() << "watch: " << response.error().what();
  else if (response->status != 200)
    ADD_FAILURE() << "watch: " << response->body;
  return events;
}

std::string Case::told(const std::vector<Event>& events) {
  std::string out;
  for (const Event& event : events)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", event.type, event.at("metadata/name"));
  return out;
}

Reply Case::await(const std::string& target, const std::function<bool(const Reply&)>& done) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  for (;;) {
    Reply reply = get(target);
    if (done(reply) || steady_clock::now() > deadline) return reply;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Reply Case::await_gone(const std::string& target) {
  return await(target, [](const Reply& reply) { return reply.code == 404; });
}

Reply Case::define(const std::string& versions, const std::string& spec) {
  Reply made =
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", fmt::format(R"({{
    apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
    metadata: {{name: widgets.$G}}, spec: {{group: $G, scope: Namespaced,
    names: {{plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}},
    versions: [{}]{}}}}})",
                                                                                  versions, spec));
  defined_ = made.code == 201;
  return made;
}

void Case::make_widgets(const std::string& schema, const std::string& version,
                        const std::string& spec) {
  const Reply made = define(
      fmt::format("{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {}}}{}}}",
                  schema, version),
      spec);
  ASSERT_EQ(made.code, 201) << made.body;
  await_widgets();
}

void Case::await_widgets() {
  // Listing ends up in the storage only once every part of the server knows the kind.
  const Reply served = await("$W", [](const Reply& reply) { return reply.code == 200; });
  ASSERT_EQ(served.code, 200) << served.body;
}

void Case::await_account() {
  const Reply account = await("/api/v1/namespaces/$NS/serviceaccounts/default",
                              [](const Reply& reply) { return reply.code == 200; });
  ASSERT_EQ(account.code, 200) << account.body;
}

Reply Case::make_map(const std::string& name, const std::string& more) {
  Reply made = post("$CM", fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: "
                                       "{{name: {}{}}}, data: {{k: v}}}}",
                                       name, more));
  EXPECT_EQ(made.code, 201) << made.body;
  return made;
}

}  // namespace holdfast::suite
