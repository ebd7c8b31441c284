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

/// The JSON patch (RFC 6902) that turns one object into another.
model::Array json_patch(const model::Value& from, const model::Value& to);

/// Routes POST /PATH to its handler. Bodies over 3 MiB, other methods and what does not parse are
/// refused with a message that says which.
class WebhookService : public net::Service {
 public:
  void admit(std::string path, Admit handler);
  void convert(std::string path, Convert handler);
  void serve(net::Request request, net::Respond respond) override;

 private:
  std::vector<std::pair<std::string, Admit>> admit_;
  std::vector<std::pair<std::string, Convert>> convert_;
};

/// A CA of our own and a serving certificate of it. The bundle, which webhook configurations carry,
/// holds the CA before this one too, while certificates of both may be shown.
struct ServingCertificate {
  std::string ca{}, ca_key{}, ca_bundle{}, certificate{}, key{};  ///< PEM
  WallTime renew_at{};  ///< when two thirds of the certificate's life are over
};
/// The same one while it is good, a new one once `renew_at` has passed (with a new CA if the old
/// one would end before the certificate).
Result<ServingCertificate> renew(const ServingCertificate& current,
                                 const std::vector<std::string>& dns_names, const Clock& clock,
                                 Random& random);

}  // namespace holdfast::control
