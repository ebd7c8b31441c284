#include "repo/store_options.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::cli {
namespace {

Result<blob::Addressing> parse_addressing(std::string_view value) {
  if (value == "auto") return blob::Addressing::Auto;
  if (value == "path") return blob::Addressing::Path;
  if (value == "dns") return blob::Addressing::HostName;
  return Error(Fault::Invalid, fmt::format("-o s3.bucket-lookup={}: auto, dns or path", value));
}

Result<void> set(std::string_view name, std::string_view value, blob::S3Options& out) {
  if (name == "s3.region") {
    out.region = value;
  } else if (name == "s3.bucket-lookup") {
    out.addressing = HF_TRY(parse_addressing(value));
  } else if (name == "s3.connections") {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), out.connections);
    if (read.ec != std::errc() || out.connections < 1 || out.connections > 1000)
      return Error(Fault::Invalid, fmt::format("-o s3.connections={}: 1 to 1000", value));
  } else if (name == "s3.profile") {
    out.sources.profile = value;
  } else if (name == "s3.credentials-dir") {
    out.sources.folder = value;
  } else if (name == "s3.proxy") {
    out.proxy = value;
  } else {
    return Error(Fault::Invalid, fmt::format("-o {}: not known", holdfast::quoted(name)))
        .with_hint(
            "s3.region, s3.bucket-lookup, s3.connections, s3.profile, s3.credentials-dir or "
            "s3.proxy");
  }
  return ok();
}

}  // namespace

Result<blob::S3Options> s3_options(const Settings& settings) {
  blob::S3Options out;
  out.ca_file = settings.cacert;
  out.insecure = settings.insecure_tls;
  for (const std::string& option : settings.options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos)
      return Error(Fault::Invalid, fmt::format("-o {}: no NAME=VALUE", holdfast::quoted(option)));
    HF_TRY(set(std::string_view(option).substr(0, equals),
               std::string_view(option).substr(equals + 1), out));
  }
  return out;
}

}  // namespace holdfast::cli
