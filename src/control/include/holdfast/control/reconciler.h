/// Reconciler and ControllerSpec: what a controller is about, what else it watches, and one pass.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/kube/informers.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::control {

/// All that a pass may read. Caches answer; `live` asks the server.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual const kube::Key& key() const = 0;
  virtual WallTime now() const = 0;
  /// Of a resource that the controller watches; anything else is a defect (HF_CHECK). In a
  /// namespace that it does not watch nothing is found.
  virtual kube::Cached get(const kube::Resource& resource, std::string_view ns,
                           std::string_view name) = 0;
  virtual std::vector<kube::Cached> list(const kube::Resource& resource, std::string_view ns,
                                         const model::LabelSelector& selector = {}) = 0;
  /// Whose controlling owner has this uid, in the namespace of the key: an owner reference names
  /// nobody elsewhere, whatever uid somebody wrote into it. Of a key without a namespace, in any.
  virtual std::vector<kube::Cached> controlled_by(const kube::Resource& resource,
                                                  std::string_view uid) = 0;
  /// Under an index that the controller declared.
  virtual std::vector<kube::Cached> find(const kube::Resource& resource, std::string_view index,
                                         std::string_view value) = 0;
  virtual kube::Reply<model::Value> live(const kube::Resource& resource, std::string_view ns,
                                         std::string_view name) = 0;
  /// Hands over all that the server has under that selector; of a namespace of "" in all of them.
  virtual kube::Reply<std::string> live_list(const kube::Resource& resource, std::string_view ns,
                                             std::string_view label_selector,
                                             const std::function<bool(model::Value)>& each) = 0;
  /// The server's answer to a creation that creates nothing: whether it would take the object. For
  /// what somebody else is to make, and is refused, without telling us.
  virtual kube::Reply<model::Value> try_create(const kube::Resource& resource,
                                               const model::Value& object) = 0;
  /// Why the server refused the write of this key's previous pass; null if that pass wrote nothing,
  /// succeeded, or was of another process. For conditions that tell a person about it, never to
  /// decide by: what was refused is learnt again by trying again.
  virtual const kube::Failure* refusal() const { return nullptr; }
};

/// As the server has it now, for what cannot be taken back. Nothing if it is not there, or has no
/// name.
Result<kube::Cached> read_live(Pass& pass, const kube::Resource& resource, std::string_view ns,
                               std::string_view name);
/// As the cache has it; only before it counts as gone, the server is asked. For a resource that the
/// controller watches.
Result<kube::Cached> read_cached(Pass& pass, const kube::Resource& resource, std::string_view ns,
                                 std::string_view name);

/// Those of a namespace ("" = of all) as the server has them now: one request for each page.
Result<std::vector<kube::Cached>> list_live(Pass& pass, const kube::Resource& resource,
                                            std::string_view ns,
                                            std::string_view label_selector = "");

class Reconciler {
 public:
  virtual ~Reconciler() = default;
  /// Called by several workers at once, never twice at once for one key. An exception costs one
  /// retry. Errors are retried with growing pauses if they are transient, or rights are missing,
  /// or something is not found; others end the pass like Stop.
  virtual Result<Outcome> reconcile(Pass& pass) = 0;
};

using Keys = std::vector<kube::Key>;
/// Which keys a change concerns; both versions of the object are there for updates.
using Mapper = std::function<Keys(const kube::Change&)>;
/// The same where the keys must be looked up in other caches: which ReplicaSets select this orphan.
using Lookup = std::function<Keys(const kube::Change&, kube::Informers&)>;
/// False: the change concerns nobody.
using Predicate = std::function<bool(const kube::Change&)>;

/// The object itself.
Keys itself(const kube::Change& change);
/// For what a pass reads and is not woken by.
Keys nobody(const kube::Change& change);
/// The controlling owner, if it is of that kind; for updates the old one too.
Mapper controlling_owner(const kube::Resource& owner);
/// True for whatever comes or goes, and for updates of the spec.
Predicate generation_changed();

struct Watch {
  kube::Scope scope{};
  Mapper map = itself;
  Predicate when{};  ///< empty = always
  Lookup lookup{};   ///< in place of `map`, if set
  /// A name that the scope has already, from another controller, is the same index.
  std::vector<std::pair<std::string, kube::IndexFunction>> indexes{};
};

/// What must be allowed beyond reading what is watched.
struct Right {
  std::string group{};
  std::vector<std::string> resources{};  ///< plurals, with subresources: "pods/status"
  std::vector<std::string> verbs{};
};

/// Condition of our kinds: the server refuses what is to be done for the object.
inline constexpr std::string_view kRefused = "Refused";

/// A controller, declared. The first watch is the resource that the keys name.
struct ControllerSpec {
  std::string name{};  ///< "statefulset-controller": in logs, metrics and events
  std::string part{};  ///< which part of the process it belongs to: a driver's name
  std::vector<Watch> watches{};
  std::function<std::unique_ptr<Reconciler>()> make{};
  std::vector<Right> rights{};
  std::vector<kube::Key> first{};  ///< looked at once at the start, whether they are there or not
  /// Type of the condition by which an object of its keys says what the server refuses (kRefused);
  /// "" for kinds of others, whose conditions are theirs. Of two controllers of one kind each has
  /// its own. It takes the right to patch their status.
  std::string refused_condition{};
  int workers = 1;
  /// The longest `limit` that its operations may have; 0 = as a request. The lease must outlast it.
  std::chrono::milliseconds longest_operation{0};
  std::chrono::milliseconds pass_limit{0};  ///< 0 = none; a longer pass is logged and counted

  /// One more watch, of all namespaces. The reference is good until the next one is added.
  Watch& watch(const kube::Resource& resource);
};

}  // namespace holdfast::control
