/// `holdfast apiserver`: the core behind TLS, with its files and threads.
#pragma once

#include <holdfast/apiserver/core.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::apiserver {

struct DaemonOptions {
  std::filesystem::path data_dir;
  std::string listen = "127.0.0.1:6443";
  std::filesystem::path token_auth_file;  ///< empty = none
  std::string controllers = "*";
  bool in_memory = false;
  std::chrono::seconds history = kHistory;  ///< how long older versions can be read and watched
};

/// Files it keeps in the data folder:
///   pki/ca.{crt,key}      signs the server's certificate; clients' are checked against it
///   pki/server.{crt,key}  what the server shows
///   pki/sa.{key,pub}      signs ServiceAccount tokens
///   pki/apiserver-kubelet-client.{crt,key}  what the server shows to nodes
///   state.db              the state (not with in_memory)
///   admin.kubeconfig      0600, credentials inline, group system:masters
///   lock                  held while running; says the holder's pid
class Daemon {
 public:
  virtual ~Daemon() = default;
  /// Serving when it returns. A folder in use is Fault::Conflict and names the holder's pid.
  static Result<std::unique_ptr<Daemon>> start(const DaemonOptions& options);
  /// "https://127.0.0.1:6443"
  virtual const std::string& url() const = 0;
  /// The same server without the socket, for controllers of the same process.
  virtual net::Service& service() = 0;
  virtual void stop() = 0;
};

}  // namespace holdfast::apiserver
