/// Verbs of the Kubernetes API over any transport: a connection (config.h), or the embedded
/// server's handler in the same process.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/resource.h>
#include <holdfast/net/client.h>

#include <functional>
#include <optional>

namespace holdfast::kube {

/// Why a request did not do what was asked. `code` 0: no answer came. The error's Fault: 404
/// NotFound; 409 and 410 Conflict (read again); 401 and 403 Denied; 408, 429, 5xx and no answer
/// Unavailable; an answer of more than 64 MiB Corrupt; other codes Invalid.
struct Failure {
  Error error;
  int code = 0;
  std::string reason{};   ///< of the Status: NotFound, AlreadyExists, Conflict, Expired, …
  model::Value status{};  ///< the Status as sent; null if there was none
  std::chrono::seconds retry_after{0};
  /// The server may have carried the request out all the same: no answer came that can be read, or
  /// it lost its store, or a proxy the server, in mid-write (500, 502, 504).
  bool ambiguous = false;

  bool not_found() const { return code == 404; }
  bool already_exists() const { return code == 409 && reason == "AlreadyExists"; }
  bool conflict() const { return code == 409 && reason != "AlreadyExists"; }
  bool expired() const { return code == 410; }
};

template <class T>
using Reply = Result<T, Failure>;

/// What of an object must still hold for the server to act on it. The server refuses with 409
/// Conflict otherwise, also when the name now belongs to another object.
struct Preconditions {
  std::string uid{};
  std::string resource_version{};
};

struct WriteOptions {
  std::string subresource{};       ///< "status", "scale", "binding", …
  std::string field_manager{};     ///< "" = the client's
  std::string field_validation{};  ///< "" = the server's default; Strict, Warn, Ignore
  bool dry_run = false;
};

struct DeleteOptions {
  Preconditions only{};
  std::string propagation{};  ///< Background, Foreground, Orphan; "" = the server's default
  std::optional<int64_t> grace_seconds{};
  bool dry_run = false;
};

struct ListOptions {
  std::string label_selector{}, field_selector{};
  std::string resource_version{}, resource_version_match{};
  int64_t limit = 500;  ///< per page; 0 = all in one answer
  bool metadata_only = false;
};

enum class PatchType { Json, Merge, Strategic };

struct ClientSettings {
  std::string user_agent = "holdfast";
  std::string field_manager = "holdfast";
  std::chrono::milliseconds timeout{30000};  ///< of one try
  /// 429 and 503 are tried so often, after Retry-After (if no more than a minute) and a growing
  /// jittered pause; so are GETs that got no answer, or one that is no JSON. A write without an
  /// answer is never sent twice: it is `ambiguous`.
  int tries = 5;
  std::string as_user{};  ///< impersonation; "" = none
  std::vector<std::string> as_groups{};
};

/// Pauses between tries. Production sleeps; the simulation lets other actors run.
using Sleep = std::function<void(std::chrono::milliseconds, const std::stop_token&)>;
/// Production's: blocks the thread, and ends early when asked to stop.
Sleep sleep_until_stopped();

/// Safe to use from many threads. Blocks the calling thread.
class Client {
 public:
  Client(net::Client& transport, const Clock& clock, Random& random, Sleep sleep,
         ClientSettings settings = {});

  Reply<model::Value> get(const Resource& resource, std::string_view ns, std::string_view name,
                          std::string_view subresource = "");
  /// Hands over every item, page by page; false from `each` ends it. An expired page token goes on
  /// with the fresh one of the answer, a page that is too long in smaller ones. Returns the
  /// resourceVersion of the first page.
  Reply<std::string> list(const Resource& resource, std::string_view ns, const ListOptions& options,
                          const std::function<bool(model::Value)>& each);
  Reply<model::Value> create(const Resource& resource, std::string_view ns,
                             const model::Value& object, const WriteOptions& options = {});
  /// The object's own metadata.uid and resourceVersion are its preconditions.
  Reply<model::Value> update(const Resource& resource, const model::Value& object,
                             const WriteOptions& options = {});
  Reply<model::Value> patch(const Resource& resource, std::string_view ns, std::string_view name,
                            PatchType type, const model::Value& patch,
                            const WriteOptions& options = {});
  /// Server-side apply. Without `force`, a field of another manager is 409 with its causes.
  Reply<model::Value> apply(const Resource& resource, const model::Value& configuration,
                            bool force = false, const WriteOptions& options = {});
  /// The object as it was (finalizers or grace), or the Status of success.
  Reply<model::Value> remove(const Resource& resource, std::string_view ns, std::string_view name,
                             const DeleteOptions& options = {});
  Reply<void> remove_collection(const Resource& resource, std::string_view ns,
                                const ListOptions& which, const DeleteOptions& options = {});
  /// Any other request, with the same credentials and retries: reviews, discovery, /version.
  Reply<model::Value> raw(std::string method, std::string target, const model::Value& body);

  /// Goes on as a WebSocket (streams.h). Tried once; what failed `ambiguous` may have begun.
  Reply<std::shared_ptr<net::WebSocket>> connect(const std::string& target,
                                                 const std::vector<std::string>& protocols);
  /// Hands over the bytes of an answer as they come; false from `on_data` ends it. Tried once.
  Reply<void> stream(const std::string& target,
                     const std::function<bool(std::string_view)>& on_data, std::stop_token stop);

  /// The same transport on behalf of somebody else.
  Client as(std::string user, std::vector<std::string> groups) const;
  /// The same over another transport, with other settings: one that adds a header, or tries once.
  Client with(net::Client& transport, ClientSettings settings) const {
    Client other = *this;
    other.transport_ = &transport;
    other.settings_ = std::move(settings);
    return other;
  }
  const ClientSettings& settings() const { return settings_; }
  net::Client& transport() const { return *transport_; }
  /// Ends waits and calls under way, from any thread.
  void stop_with(std::stop_token stop) { stop_ = std::move(stop); }

 private:
  Reply<model::Value> send(net::Call call);
  Reply<model::Value> send_once(const net::Call& call);
  net::Headers headers(std::string_view content_type) const;

  net::Client* transport_;
  const Clock* clock_;
  Random* random_;
  Sleep sleep_;
  ClientSettings settings_;
  std::stop_token stop_;
};

}  // namespace holdfast::kube
