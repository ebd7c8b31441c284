#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/location.h>
#include <holdfast/blob/stores.h>

#include "s3/proxy.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::blob {
namespace {

constexpr std::string_view kForm = "write s3:https://HOST/BUCKET or s3:https://HOST/BUCKET/PREFIX";

/// Schemes of restic and rclone that we do not speak: a path that begins so was hardly meant.
constexpr std::array<std::string_view, 8> kForeign = {
    "sftp:", "rest:", "rclone:", "b2:", "azure:", "gs:", "swift:", "opendal:"};

Error no_bucket(const std::string& text, std::string_view why) {
  return Error(Fault::Invalid, fmt::format("repository {}: {}", text, why))
      .with_hint(std::string(kForm));
}

/// A lone word before the first slash is a bucket whose service is missing, not a host.
bool looks_like_host(std::string_view host) {
  return host == "localhost" || host.find_first_of(".:") != std::string_view::npos;
}

std::string_view without_slashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

Result<Location> parse_bucket(const std::string& text, std::string_view rest) {
  Location out;
  std::string_view scheme = "https://";
  const bool whole_url = rest.starts_with("http://") || rest.starts_with("https://");
  if (whole_url) scheme = rest.substr(0, rest.find("//") + 2);
  if (whole_url) rest.remove_prefix(scheme.size());
  if (!whole_url && rest.starts_with("//")) rest.remove_prefix(2);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view host = rest.substr(0, slash);
  if (rest.find_first_of("?#") != std::string_view::npos || host.find('@') != host.npos)
    return no_bucket(text, "it may have no '?' and no '#', and its host no '@'");
  if (host.empty()) return no_bucket(text, "no host");
  if (!whole_url && !looks_like_host(host))
    return no_bucket(text, fmt::format("{} names no service", quoted(host)));
  const std::string_view path = without_slashes(rest.substr(slash));
  if (path.empty()) return no_bucket(text, "no bucket");
  const size_t end = std::min(path.find('/'), path.size());
  out.endpoint = fmt::format("{}{}", scheme, host);
  out.bucket = path.substr(0, end);
  out.prefix = without_slashes(path.substr(end));
  return out;
}

/// "eu-central-1" of "https://s3.eu-central-1.amazonaws.com".
std::string region_in(std::string_view endpoint) {
  const std::string_view host = endpoint.substr(endpoint.find("//") + 2);
  const std::string_view end = ".amazonaws.com";
  if (!host.starts_with("s3.") || !host.ends_with(end) || host.size() <= 3 + end.size()) return "";
  return std::string(host.substr(3, host.size() - 3 - end.size()));
}

Result<std::unique_ptr<Store>> open_bucket(const Location& location, const OpenOptions& options) {
  S3Settings settings{.endpoint = location.endpoint,
                      .region = options.s3.region,
                      .bucket = location.bucket,
                      .prefix = location.prefix,
                      .addressing = options.s3.addressing,
                      .ca = options.s3.ca,
                      .proxy = options.s3.proxy,
                      .insecure = options.s3.insecure,
                      .key_patience = options.s3.key_patience,
                      .create_bucket = options.create,
                      .connections = options.s3.connections,
                      .retry = options.retry,
                      .limits = options.limits,
                      .refused = options.s3.refused,
                      .flown = options.s3.flown};
  if (settings.region.empty()) settings.region = find_region(options.s3.sources);
  if (settings.region.empty()) settings.region = region_in(location.endpoint);
  if (settings.proxy.empty())
    settings.proxy = find_proxy(location.endpoint, options.s3.sources.environment);
  if (!options.s3.ca_file.empty()) settings.ca = HF_TRY(read_file(options.s3.ca_file));
  settings.credentials = HF_TRY(find_credentials(options.s3.sources));
  return s3_store(std::move(settings), options.waiting);
}

}  // namespace

Result<Location> parse_location(const std::string& text) {
  if (text.empty()) return Error(Fault::Invalid, "no repository is named");
  if (text.starts_with("s3:")) return parse_bucket(text, std::string_view(text).substr(3));
  for (const std::string_view scheme : kForeign) {
    if (!text.starts_with(scheme)) continue;
    return Error(Fault::Invalid, fmt::format("repository {}: {} is not spoken here", text, scheme))
        .with_hint("a repository is a folder (/path, local:path) or a bucket (s3:https://…)");
  }
  Location out;
  out.folder = text.starts_with("local:") ? text.substr(6) : text;
  if (out.folder.empty()) return Error(Fault::Invalid, "repository local: names no folder");
  return out;
}

Result<std::unique_ptr<Store>> open_store(const Location& location, const OpenOptions& options) {
  if (location.folder.empty()) return open_bucket(location, options);
  std::unique_ptr<Store> store = HF_TRY(file_store(location.folder, options.create));
  store = retrying(std::move(store), options.retry, options.waiting);
  if (options.limits) store = limited(std::move(store), options.limits, options.waiting);
  return store;
}

}  // namespace holdfast::blob
