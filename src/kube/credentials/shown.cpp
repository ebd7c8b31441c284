#include "credentials/shown.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/net/pki.h>

#include "credentials/plugin.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

constexpr std::chrono::microseconds kEarliestRenewal = std::chrono::minutes(1);

bool is_header_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return uint8_t(c) < 0x20 || c == 0x7f; });
}

Result<std::string> read_token(const std::filesystem::path& file) {
  const std::string text = HF_TRY(read_file(file));
  const std::string_view token = trim(text);
  if (token.empty())
    return Error(Fault::Denied, fmt::format("token file {} is empty", file.string()));
  if (!is_header_text(token))
    return Error(Fault::Denied,
                 fmt::format("token file {} holds more than a token", file.string()));
  return std::string(token);
}

/// What stands in the file now, or `before` if it cannot be read and there was something.
Result<std::string> renewed(Result<std::string> now, std::string_view before) {
  if (now || before.empty()) return now;
  log::warn(fmt::format("keeping the credentials known before: {}", now.error().what()));
  return std::string(before);
}

std::string bearer(std::string_view token) { return "Bearer " + std::string(token); }

}  // namespace

bool CredentialSource::uses_plugin() const {
  const Credentials& user = config_.user;
  return user.exec && user.token.empty() && user.token_file.empty() && user.username.empty() &&
         user.password.empty() && user.certificate.empty() && user.certificate_file.empty();
}

bool CredentialSource::renewable() const {
  const Credentials& user = config_.user;
  return secure() && (uses_plugin() || !config_.ca_file.empty() || !user.token_file.empty() ||
                      !user.certificate_file.empty() || !user.key_file.empty());
}

Result<void> CredentialSource::read_files(const Shown* last, Shown& out) const {
  const Credentials& user = config_.user;
  out.ca = config_.ca;
  if (!config_.ca_file.empty())
    out.ca = HF_TRY(renewed(read_file(config_.ca_file), last ? last->ca : ""));
  out.certificate = user.certificate;
  if (!user.certificate_file.empty())
    out.certificate =
        HF_TRY(renewed(read_file(user.certificate_file), last ? last->certificate : ""));
  out.key = user.key;
  if (!user.key_file.empty())
    out.key = HF_TRY(renewed(read_file(user.key_file), last ? last->key : ""));
  if (!user.token.empty()) out.authorization = bearer(user.token);
  if (!user.username.empty() || !user.password.empty())
    out.authorization = "Basic " + base64(user.username + ":" + user.password);
  if (user.token_file.empty()) return ok();
  // A token that stands beside its file is what to show until the file can be read.
  Result<std::string> token = read_token(user.token_file);
  const std::string_view before = last ? std::string_view(last->authorization) : out.authorization;
  out.authorization = HF_TRY(
      renewed(token ? Result<std::string>(bearer(*token)) : Result<std::string>(token.take_error()),
              before));
  return ok();
}

Result<void> CredentialSource::ask_plugin(const Shown* last, bool refused,
                                          const std::stop_token& stop, Shown& out) const {
  const WallTime now = clock_.now();
  const auto keep_last = [&] {
    out.authorization = last->authorization;
    out.certificate = last->certificate;
    out.key = last->key;
    out.expires = last->expires;
    out.renew_at = last->renew_at;
  };
  if (last != nullptr && !refused && (!last->renew_at || now < *last->renew_at)) {
    keep_last();
    return ok();
  }
  Result<PluginAnswer> answer = run_plugin(config_, out.ca, clock_, plugin_limit_, stop);
  if (!answer && last != nullptr && !refused && last->expires && now < *last->expires) {
    log::warn(fmt::format("keeping credentials that are still good: {}", answer.error().what()));
    keep_last();
    return ok();
  }
  if (!answer) return answer.take_error();
  if (!is_header_text(answer->token))
    return Error(Fault::Denied,
                 fmt::format("plugin {}: its token has a line break", config_.user.exec->command));
  if (!answer->token.empty()) out.authorization = bearer(answer->token);
  out.certificate = std::move(answer->certificate);
  out.key = std::move(answer->key);
  out.expires = answer->expires;
  // A tenth of its life early, so that a request under way does not outlive it.
  if (answer->expires)
    out.renew_at = *answer->expires - std::min<std::chrono::microseconds>(
                                          (*answer->expires - clock_.now()) / 10, kEarliestRenewal);
  return ok();
}

Result<Shown> CredentialSource::read(const Shown* last, bool refused,
                                     const std::stop_token& stop) const {
  Shown out;
  if (!secure()) return out;
  HF_TRY(read_files(last, out));
  if (uses_plugin()) HF_TRY(ask_plugin(last, refused, stop, out));
  if (!out.certificate.empty()) {
    const Result<WallTime> ends = net::certificate_expiry(out.certificate);
    if (!ends)
      return Error(Fault::Denied, fmt::format("the client certificate of {} is no certificate: {}",
                                              config_.source, ends.error().what()));
    out.certificate_ends = *ends;
  }
  return out;
}

}  // namespace holdfast::kube
