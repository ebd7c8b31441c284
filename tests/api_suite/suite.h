/// The language of the API suite: one case is one namespace of its own on any API server, embedded
/// or real.
///
/// Targets, bodies and expectations are written with placeholders, so that a case reads the same on
/// every run: `$NS` is the case's namespace, `$G` its API group; in targets `$CM` stands for the
/// ConfigMaps of that namespace, `$POD` for its Pods, `$PVC` for its claims and `$W` for the custom
/// resource that `make_widgets` defines. Replies are read back with the same placeholders. Bodies
/// are flow YAML and go out as JSON.
#pragma once

#include <holdfast/model/json.h>
#include <holdfast/net/client.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::suite {

/// Replaces the names of one case by their placeholders, and the other way round.
struct Names {
  std::string space;
  std::string group;
  std::string fill(std::string text) const;
  std::string unfill(std::string text) const;
};

/// Reads a value by a slash-separated path ("metadata/labels/app", "items/0/metadata/name"):
/// strings as they are, other values as JSON, "" if there is nothing.
std::string value_at(const model::Value& root, std::string_view path);

struct Reply {
  int code = 0;  ///< 0: no answer; `body` says why
  net::Headers headers{};
  std::string body{};
  model::Value json{};
  Names names{};

  std::string at(std::string_view path) const;
  /// "404 NotFound: configmaps "a" not found", or "200" for what is no failure.
  std::string failure() const;
  /// "field: message" of details.causes, in lines sorted as the server gave them.
  std::string causes() const;
  /// metadata.name of the items, joined by blanks.
  std::string items() const;
  std::string header(std::string_view name) const { return std::string(headers.get(name)); }
};

struct Ask {
  std::string method{};
  std::string target{};
  std::string body{};  ///< sent as it is
  std::string type = "application/json";
  std::string accept{};
  std::string
      user{};  ///< of tokens.csv; "" is the admin, "-" nobody; other texts are bearer tokens
  std::vector<std::pair<std::string, std::string>> headers{};
};

struct Event {
  std::string type;
  model::Value object;
  Names names{};
  std::string at(std::string_view path) const;
};

class Case : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Reply send(const Ask& ask);
  Reply get(const std::string& target);
  Reply post(const std::string& target, const std::string& yaml);
  Reply put(const std::string& target, const std::string& yaml);
  Reply del(const std::string& target, const std::string& yaml = "");
  Reply merge(const std::string& target, const std::string& yaml);
  Reply strategic(const std::string& target, const std::string& yaml);
  Reply json_patch(const std::string& target, const std::string& yaml);
  /// `options` as in a query: "fieldManager=a&force=true".
  Reply apply(const std::string& target, const std::string& options, const std::string& yaml);
  Reply as(const std::string& user, const std::string& method, const std::string& target,
           const std::string& yaml = "");
  Reply table(const std::string& target);

  /// The first `count` events of a watch; fewer when the server ends it after `seconds`. Half a
  /// minute without an end is a failure.
  std::vector<Event> watch(const std::string& target, size_t count, int seconds = 5);
  /// "ADDED a, DELETED b"
  static std::string told(const std::vector<Event>& events);
  /// Asks until `done` says so or half a minute is over; the last answer.
  Reply await(const std::string& target, const std::function<bool(const Reply&)>& done);
  Reply await_gone(const std::string& target);

  /// Defines Widget in `$G` and waits until it is served. `version` holds further members of the
  /// version v1, `spec` of the definition's spec, both flow YAML with a leading comma or nothing.
  void make_widgets(const std::string& schema, const std::string& version = "",
                    const std::string& spec = "");
  /// The same with all versions given.
  Reply define(const std::string& versions, const std::string& spec = "");
  void await_widgets();
  /// Pods need the namespace's ServiceAccount.
  void await_account();
  /// A ConfigMap with that name and further members of the object.
  Reply make_map(const std::string& name, const std::string& more = "");

  Names names_;
  bool defined_ = false;
};

std::string to_body(const std::string& yaml);

}  // namespace holdfast::suite
