/// Pass over a server of a few objects, for the tests of this room. Its caches show what they were
/// told, which may be older than what the server holds.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/model/json.h>
#include <holdfast/net/client.h>
#include <holdfast/net/http.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::protect {

/// Holds objects by their paths; answers GETs of one and of all beside it, and reviews with yes.
/// Remembers what it was asked.
class ServerOfObjects final : public net::Client {
 public:
  void hold(const kube::Resource& resource, const model::Value& object) {
    objects_[resource.path(model::string_at(object, {"metadata", "namespace"}),
                           model::string_at(object, {"metadata", "name"}))] = object;
  }
  void drop(const kube::Resource& resource, std::string_view ns, std::string_view name) {
    objects_.erase(resource.path(ns, name));
  }
  Result<net::Response> call(const net::Call& call) override {
    const std::string path = call.target.substr(0, call.target.find('?'));
    asked_.push_back(call.method + " " + path);
    if (call.method == "POST") return answer(201, model::parse_json(kYes)->value);
    if (call.target.find("limit=") != std::string::npos) return answer(200, all_in(path, call));
    const auto found = objects_.find(path);
    if (found == objects_.end())
      return answer(404, model::Object{{"kind", "Status"}, {"code", 404}, {"reason", "NotFound"}});
    return answer(200, found->second);
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>&) override {
    return this->call(call);
  }
  std::vector<std::string>& asked() { return asked_; }

 private:
  static constexpr std::string_view kYes =
      R"({"kind":"SubjectAccessReview","status":{"allowed":true}})";

  static net::Response answer(int status, const model::Value& body) {
    return {.status = status, .body = model::to_json(body)};
  }
  model::Value all_in(const std::string& path, const net::Call& call) const {
    std::string text;
    if (const size_t at = call.target.find("labelSelector="); at != std::string::npos)
      text = net::percent_decode(call.target.substr(at + 14, call.target.find('&', at) - at - 14),
                                 false);
    const model::LabelSelector selector = model::LabelSelector::parse(text).take();
    model::Array items;
    for (const auto& [place, object] : objects_)
      if (place.substr(0, place.rfind('/')) == path &&
          selector.matches(model::meta_of(object).labels))
        items.push_back(object);
    return model::Object{{"kind", "List"}, {"metadata", model::Object{}}, {"items", items}};
  }

  std::map<std::string, model::Value> objects_{};
  std::vector<std::string> asked_{};
};

class PassOverServer final : public control::Pass {
 public:
  explicit PassOverServer(WallTime now) : clock_(now) {}

  ServerOfObjects& server() { return server_; }
  kube::Client& client() { return client_; }
  const Clock& clock() const { return clock_; }
  /// The caches show it.
  void show(const kube::Resource& resource, const model::Value& object) {
    cached_.emplace_back(resource, kube::Cached::from_value(object).take());
  }
  /// The server holds it, and the caches show it.
  void put(const kube::Resource& resource, const model::Value& object) {
    server_.hold(resource, object);
    show(resource, object);
  }
  void add_index(std::string name, kube::IndexFunction function) {
    indexes_[std::move(name)] = std::move(function);
  }

  const kube::Key& key() const override { return key_; }
  WallTime now() const override { return clock_.now(); }
  kube::Cached get(const kube::Resource& resource, std::string_view ns,
                   std::string_view name) override {
    for (const auto& [which, object] : cached_)
      if (which == resource && object.ns() == ns && object.name() == name) return object;
    return {};
  }
  std::vector<kube::Cached> list(const kube::Resource& resource, std::string_view ns,
                                 const model::LabelSelector& selector) override {
    std::vector<kube::Cached> out;
    for (const auto& [which, object] : cached_)
      if (which == resource && (ns.empty() || object.ns() == ns) &&
          selector.matches(object.labels()))
        out.push_back(object);
    return out;
  }
  std::vector<kube::Cached> controlled_by(const kube::Resource& resource,
                                          std::string_view uid) override {
    std::vector<kube::Cached> found = matching(resource, kube::index_by_controller, uid);
    std::erase_if(found, [this](const kube::Cached& each) { return each.ns() != key_.ns; });
    return found;
  }
  std::vector<kube::Cached> find(const kube::Resource& resource, std::string_view index,
                                 std::string_view value) override {
    return matching(resource, indexes_.at(std::string(index)), value);
  }
  kube::Reply<model::Value> live(const kube::Resource& resource, std::string_view ns,
                                 std::string_view name) override {
    return client_.get(resource, ns, name);
  }
  kube::Reply<std::string> live_list(const kube::Resource& resource, std::string_view ns,
                                     std::string_view label_selector,
                                     const std::function<bool(model::Value)>& each) override {
    return client_.list(resource, ns, {.label_selector = std::string(label_selector)}, each);
  }
  kube::Reply<model::Value> try_create(const kube::Resource& resource,
                                       const model::Value& object) override {
    return client_.create(resource, model::string_at(object, {"metadata", "namespace"}), object,
                          {.dry_run = true});
  }

 private:
  std::vector<kube::Cached> matching(const kube::Resource& resource,
                                     const kube::IndexFunction& index,
                                     std::string_view value) const {
    std::vector<kube::Cached> out;
    for (const auto& [which, object] : cached_) {
      std::vector<std::string> values;
      if (which == resource) index(object, values);
      if (std::find(values.begin(), values.end(), value) != values.end()) out.push_back(object);
    }
    return out;
  }

  const kube::Key key_{"shop", "run"};
  ManualClock clock_;
  SeededRandom random_{1};
  ServerOfObjects server_{};
  kube::Client client_{server_, clock_, random_,
                       [](std::chrono::milliseconds, const std::stop_token&) {}};
  std::vector<std::pair<kube::Resource, kube::Cached>> cached_{};
  std::map<std::string, kube::IndexFunction> indexes_{};
};

}  // namespace holdfast::protect
