/// Credentials in use, and their renewal: files that may change, plugins whose answer runs out.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/config.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast::kube {

struct Shown {
  std::string ca{}, certificate{}, key{};  ///< PEM; a change needs new connections
  std::string authorization{};             ///< the header; "" = none
  std::optional<WallTime> certificate_ends{};
  /// Of a plugin's answer: when to ask again, and from when on it is worth nothing.
  std::optional<WallTime> renew_at{}, expires{};

  bool same_connection(const Shown& other) const {
    return ca == other.ca && certificate == other.certificate && key == other.key;
  }
  bool same(const Shown& other) const {
    return same_connection(other) && authorization == other.authorization;
  }
};

/// Not safe for many threads: its owner lets one in at a time.
class CredentialSource {
 public:
  CredentialSource(Config config, const Clock& clock, std::chrono::milliseconds plugin_limit)
      : config_(std::move(config)), clock_(clock), plugin_limit_(plugin_limit) {}

  const Config& config() const { return config_; }
  /// Over a plain connection nothing is shown.
  bool secure() const { return config_.server.starts_with("https://"); }
  /// There is anything that could change.
  bool renewable() const;
  /// Reads the files; runs the plugin when `last` has nothing of it, when its time has come, or
  /// when `refused` says that the server does not take it any more. A file that cannot be read
  /// leaves what was in it before, with a line in the log; without a before it is the error.
  Result<Shown> read(const Shown* last, bool refused, const std::stop_token& stop) const;

 private:
  bool uses_plugin() const;
  Result<void> read_files(const Shown* last, Shown& out) const;
  Result<void> ask_plugin(const Shown* last, bool refused, const std::stop_token& stop,
                          Shown& out) const;

  const Config config_;
  const Clock& clock_;
  const std::chrono::milliseconds plugin_limit_;
};

}  // namespace holdfast::kube
