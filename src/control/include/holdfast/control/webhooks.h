/// Admission and conversion webhooks that the API server calls, behind TLS whose certificates renew
/// themselves.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>
#include <holdfast/model/json.h>
#include <holdfast/net/http.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::control {

/// admission.k8s.io/v1 AdmissionReview, request side.
struct AdmissionRequest {
  std::string uid{}, operation{}, ns{}, name{}, user{};
  std::vector<std::string> groups{};
  bool dry_run = false;
  model::Value object{}, old_object{};
};

struct AdmissionAnswer {
  bool allowed = true;
  std::string message{};  ///< of a refusal
  int code = 403;
  std::vector<std::string> warnings{};
  model::Value patched{};  ///< null = unchanged; otherwise the object wanted, sent as a JSON patch
};

using Admit = std::function<AdmissionAnswer(const AdmissionRequest&)>;
/// One object to one version; Invalid is reported as the conversion's failure.
using Convert =
    std::function<Result<model::Value>(model::Value object, const std::string& to_version)>;

/// Routes POST /PATH to its handler. Bodies over 3 MiB, other methods and what does not parse are
/// refused with a message that says which.
class WebhookService : public net::Service {
 public:
  void admit(std::string path, Admit handler);
  void convert(std::string path, Convert handler);
  void serve(net::Request request, net::Respond respond) override;

 private:
  struct Route;
  std::vector<std::pair<std::string, Admit>> admit_;
  std::vector<std::pair<std::string, Convert>> convert_;
};

/// A CA of our own and a serving certificate, renewed when two thirds of its life are over; the CA bundle holds the
/// old and the new CA while both are in use.
struct ServingCertificate {
  std::string ca_bundle{}, certificate{}, key{};
  WallTime renew_at{};
};
/// The same one while it is good, a new one when `now` is past renew_at.
Result<ServingCertificate> renew(const ServingCertificate& current,
                                 const std::vector<std::string>& dns_names, WallTime now);

}  // namespace holdfast::control
