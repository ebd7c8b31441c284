// AdmissionReview v1 and ConversionReview v1, as the API server sends and reads them.
//
//   request   {apiVersion, kind, request: {uid, operation, object, oldObject, userInfo, dryRun, …}}
//   response  {apiVersion, kind, response: {uid, allowed, status, warnings, patchType, patch}}
//             the patch is a JSON patch in base64
#include <holdfast/base/bytes.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/control/webhooks.h>

#include <fmt/format.h>

namespace holdfast::control {
namespace {

constexpr size_t kMostBytes = size_t{3} << 20;

net::Response text_page(int status, std::string text) {
  net::Response out;
  out.status = status;
  out.headers.set("Content-Type", "text/plain; charset=utf-8");
  out.body = std::move(text);
  return out;
}

net::Response review(const model::Value& asked, model::Object response) {
  net::Response out;
  out.headers.set("Content-Type", "application/json");
  out.body = model::to_json(model::Object{{"apiVersion", model::string_at(asked, {"apiVersion"})},
                                          {"kind", model::string_at(asked, {"kind"})},
                                          {"response", std::move(response)}});
  return out;
}

AdmissionRequest read_request(const model::Value& asked) {
  const model::Value& request = asked.at("request");
  AdmissionRequest out;
  out.uid = model::string_at(request, {"uid"});
  out.operation = model::string_at(request, {"operation"});
  out.ns = model::string_at(request, {"namespace"});
  out.name = model::string_at(request, {"name"});
  out.user = model::string_at(request, {"userInfo", "username"});
  for (const model::Value& group : model::array_at(request, {"userInfo", "groups"}))
    if (group.is_string()) out.groups.emplace_back(model::view(group.get_string()));
  out.dry_run = model::bool_at(request, {"dryRun"}, false);
  if (const model::Value* object = model::find(request, {"object"})) out.object = *object;
  if (const model::Value* old = model::find(request, {"oldObject"})) out.old_object = *old;
  return out;
}

model::Object answer_of(const AdmissionRequest& request, const AdmissionAnswer& answer) {
  model::Object out{{"uid", request.uid}, {"allowed", answer.allowed}};
  if (!answer.allowed)
    out["status"] = model::Object{{"code", answer.code}, {"message", answer.message}};
  if (!answer.warnings.empty()) {
    model::Array& warnings = out["warnings"].emplace_array();
    for (const std::string& warning : answer.warnings) warnings.emplace_back(warning);
  }
  if (answer.allowed && !answer.patched.is_null()) {
    const model::Array patch = json_patch(request.object, answer.patched);
    if (!patch.empty()) {
      out["patchType"] = "JSONPatch";
      out["patch"] = base64(model::to_json(patch));
    }
  }
  return out;
}

model::Object convert_all(const model::Value& asked, const Convert& handler) {
  const std::string to(model::string_at(asked, {"request", "desiredAPIVersion"}));
  model::Array converted;
  model::Object result{{"status", "Success"}};
  for (const model::Value& object : model::array_at(asked, {"request", "objects"})) {
    Result<model::Value> one = handler(object, to);
    if (!one) {
      result = {{"status", "Failure"}, {"message", one.error().what()}};
      converted.clear();
      break;
    }
    converted.push_back(one.take());
  }
  return {{"uid", model::string_at(asked, {"request", "uid"})},
          {"result", std::move(result)},
          {"convertedObjects", std::move(converted)}};
}

template <class Handler>
const Handler* handler_at(const std::vector<std::pair<std::string, Handler>>& routes,
                          std::string_view path) {
  for (const auto& [at, handler] : routes)
    if (at == path) return &handler;
  return nullptr;
}

Result<model::Value> read_review(const net::Request& request, std::string_view kind) {
  if (request.body.size() > kMostBytes)
    return Error(Fault::Invalid, fmt::format("review of {} bytes is larger than {} bytes",
                                             request.body.size(), kMostBytes));
  model::Parsed parsed = HF_TRY(model::parse_json(request.body));
  if (model::string_at(parsed.value, {"kind"}) != kind)
    return Error(Fault::Invalid, fmt::format("body is no {}: kind is {}", kind,
                                             quoted(model::string_at(parsed.value, {"kind"}))));
  if (model::find(parsed.value, {"request", "uid"}) == nullptr)
    return Error(Fault::Invalid, fmt::format("{} has no request.uid", kind));
  return std::move(parsed.value);
}

}  // namespace

void WebhookService::admit(std::string path, Admit handler) {
  admit_.emplace_back(std::move(path), std::move(handler));
}

void WebhookService::convert(std::string path, Convert handler) {
  convert_.emplace_back(std::move(path), std::move(handler));
}

void WebhookService::serve(net::Request request, net::Respond respond) {
  const Admit* admit = handler_at(admit_, request.path);
  const Convert* convert = handler_at(convert_, request.path);
  if (admit == nullptr && convert == nullptr)
    return respond(text_page(404, fmt::format("no webhook at {}\n", request.path)));
  if (request.method != "POST")
    return respond(text_page(405, fmt::format("webhook {} takes POST only\n", request.path)));
  Result<model::Value> asked =
      read_review(request, admit != nullptr ? "AdmissionReview" : "ConversionReview");
  if (!asked) return respond(text_page(400, asked.error().what() + "\n"));
  try {
    if (convert != nullptr) return respond(review(*asked, convert_all(*asked, *convert)));
    const AdmissionRequest question = read_request(*asked);
    respond(review(*asked, answer_of(question, (*admit)(question))));
  } catch (const std::exception& thrown) {
    // The API server decides by the webhook's failurePolicy; it must hear that we failed.
    log::error(fmt::format("webhook {}: {}", request.path, thrown.what()));
    respond(text_page(500, fmt::format("webhook {} failed\n", request.path)));
  }
}

}  // namespace holdfast::control
