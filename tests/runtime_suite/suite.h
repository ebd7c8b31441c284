/// The language of the runtime suite: one case is one namespace of its own, on any API server.
#pragma once

#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>

#include "subject.h"

#include <functional>
#include <string>
#include <string_view>

namespace holdfast::runtime {

using model::Value;

/// Flow YAML, so that a case reads well.
Value yaml(const std::string& text);
/// "409 Conflict", "404 NotFound", "0 ", or "done".
template <class T>
std::string outcome(const kube::Reply<T>& reply) {
  return reply ? "done" : std::to_string(reply.error().code) + " " + reply.error().reason;
}

class Case : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// Over any transport, with the suite's clock, chance and sleep.
  kube::Client client_over(net::Client& transport, kube::ClientSettings settings = {});
  /// A ConfigMap of the case's namespace, not yet sent.
  Value config_map(const std::string& name, const std::string& data = "{a: '1'}") const;
  kube::Reply<Value> make_map(const std::string& name, const std::string& data = "{a: '1'}");
  /// Asks until it says true or half a minute is over.
  static bool await(const std::function<bool()>& condition);
  /// A Role with these rules and its binding to `subject`, both flow YAML.
  void grant(const std::string& rules, const std::string& subject);
  /// A token of a ServiceAccount of the case's namespace, which is made if it is not there.
  std::string token_of(const std::string& account);

  const SystemClock clock_{};
  SystemRandom random_{};
  kube::Client client_ = client_over(Subject::get().admin());
  std::string ns_ = "runtime-" + random_.uuid().substr(0, 8);
};

std::string text_at(const Value& object, std::initializer_list<std::string_view> path);

}  // namespace holdfast::runtime
