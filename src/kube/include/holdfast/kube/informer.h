/// Informer: a cache of one resource that a reflector fills and keeps equal to the server, and that
/// many readers share.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/kube/cached.h>
#include <holdfast/kube/resource.h>
#include <holdfast/model/selector.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::kube {

/// What of a resource is watched. Two users of the same scope share one informer.
struct Scope {
  Resource resource{};
  std::string ns{};  ///< "" = all
  std::string label_selector{}, field_selector{};
  bool metadata_only = false;  ///< PartialObjectMetadata: names, labels, owners
  bool operator==(const Scope&) const = default;
  std::string text() const;  ///< "pods in shop with app=db", for messages
};

struct Change {
  enum class Kind { Added, Updated, Deleted };
  Kind kind = Kind::Added;
  Cached before{}, after{};
  bool initial = false;  ///< part of the first list, or of a relist
  /// The deletion itself was missed; `before` is the last state we knew, not the last there was.
  bool final_state_unknown = false;
  const Cached& object() const { return after ? after : before; }
};

/// Called in the order of the resource's versions, never twice at once, without a lock held.
using OnChange = std::function<void(const Change&)>;
/// The cache now holds everything up to this version; also told when nothing here changed
/// (bookmarks), so that whoever waits for a version of its own writes is woken.
using OnProgress = std::function<void(uint64_t version)>;
/// Values under which an object can be found; sorted output not needed.
using IndexFunction = std::function<void(const Cached&, std::vector<std::string>& values)>;

/// Uid of the controlling owner: who controls me.
inline constexpr std::string_view kByController = "controller";
void index_by_controller(const Cached& object, std::vector<std::string>& values);

/// Reading is safe from many threads and never waits for the network. Results are ordered by
/// namespace and name, so that what is decided from them does not depend on arrival.
class Informer {
 public:
  explicit Informer(Scope scope);
  ~Informer();

  const Scope& scope() const { return scope_; }
  /// Before the first object arrives.
  void add_index(std::string_view name, IndexFunction function);
  void on_change(OnChange handler);
  void on_progress(OnProgress handler);

  Cached get(std::string_view ns, std::string_view name) const;
  std::vector<Cached> list(std::string_view ns = "",
                           const model::LabelSelector& selector = {}) const;
  std::vector<Cached> find(std::string_view index, std::string_view value) const;
  size_t size() const;
  size_t memory() const;  ///< bytes held for objects and tables

  /// The first list is complete.
  bool synced() const;
  /// Everything the server did to this resource up to this version is in the cache: moved by
  /// events, bookmarks and lists.
  uint64_t progress() const;

  // What a reflector does.
  void replace(std::vector<Cached> all, uint64_t version);
  void put(const Cached& object);
  void erase(const Cached& last);
  void advance(uint64_t version);

 private:
  struct Tables;
  void announce(const std::vector<Change>& changes, uint64_t version);
  Scope scope_;
  mutable Mutex mutex_;
  std::unique_ptr<Tables> tables_ HF_GUARDED_BY(mutex_);
  std::vector<OnChange> handlers_;
  std::vector<OnProgress> on_progress_;
};

}  // namespace holdfast::kube
