#include "s3/deletes.h"

#include <holdfast/base/bytes.h>

#include "around/retries.h"
#include "s3/errors.h"

#include <openssl/evp.h>

#include <algorithm>

namespace holdfast::blob {
namespace {

constexpr size_t kTogether = 1000;

/// What the service insists on for this one request; nothing here relies on it.
std::string md5(std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size,
                 EVP_md5(), nullptr);
  HF_CHECK(done == 1);
  out.resize(size);
  return out;
}

}  // namespace

void Deletes::Stayed::add(const std::string& name, Error error) {
  names.push_back(name);
  if (!why) why = std::move(error);
}

Result<void> Deletes::one(const std::string& name) const {
  const Ask ask{.method = "DELETE", .key = bucket_.key(name), .also_good = {404}};
  const net::Response response = HF_TRY(bucket_.ask(ask));
  if (response.status != 404) return ok();
  const ServiceError said = read_error(response.body).value_or(ServiceError{});
  const bool absent =
      said.code != "NoSuchBucket" && fault_of(said.code, response.status) == Fault::NotFound;
  return absent ? ok() : Result<void>(refusal(bucket_.naming(ask), response, said));
}

void Deletes::one_by_one(std::span<const std::string> names, Stayed& stayed) const {
  for (const std::string& name : names)
    if (Result<void> removed = one(name); !removed) stayed.add(name, removed.take_error());
}

/// False if the service knows no such request.
Result<bool> Deletes::together(std::span<const std::string> names, Stayed& stayed) {
  Retries retries(bucket_.settings().retry, bucket_.waiting());
  std::vector<std::string> left;
  for (const std::string& name : names) left.push_back(bucket_.key(name));
  while (!left.empty()) {
    const std::string body = delete_request(left);
    Ask ask{.method = "POST",
            .query = {{"delete", ""}},
            .payload = body,
            .also_good = {405, 501},
            .verb = "DELETE",
            .thing = left.front().substr(bucket_.above().size()) + " …"};
    ask.headers.set("Content-MD5", base64(md5(body)));
    ask.headers.set("Content-Type", "application/xml");
    const net::Response response = HF_TRY(bucket_.ask(ask));
    if (response.status != 200) return false;
    std::vector<ServiceError> refused = HF_TRY(read_delete_result(response.body));
    left.clear();
    std::optional<Error> busy;
    for (const ServiceError& each : refused) {
      if (each.code == "NoSuchKey" || !each.key.starts_with(bucket_.above())) continue;
      const std::string name = each.key.substr(bucket_.above().size());
      Error error = refusal(bucket_.naming({.method = "DELETE", .key = each.key}), response, each);
      if (fault_of(each.code, 400) != Fault::Unavailable) {
        stayed.add(name, std::move(error));
      } else {
        left.push_back(each.key);
        busy = std::move(error);
      }
    }
    if (!busy || retries.again(*busy)) continue;
    for (const std::string& key : left)
      stayed.add(key.substr(bucket_.above().size()), busy->copy());
    break;
  }
  return true;
}

Result<std::vector<std::string>> Deletes::all(const std::vector<std::string>& names) {
  Stayed stayed;
  for (size_t at = 0; at < names.size(); at += kTogether) {
    const auto batch = std::span(names).subspan(at, std::min(kTogether, names.size() - at));
    Result<bool> known = together_ ? together(batch, stayed) : Result<bool>(false);
    if (!known) {
      for (const std::string& name : batch) stayed.add(name, known.error().copy());
      continue;
    }
    if (*known) continue;
    together_ = false;
    one_by_one(batch, stayed);
  }
  if (!names.empty() && stayed.names.size() == names.size()) return std::move(*stayed.why);
  return std::move(stayed.names);
}

}  // namespace holdfast::blob
