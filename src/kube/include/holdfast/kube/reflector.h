/// Keeps an informer equal to the server: list, then watch from there, for ever. Passive: it says
/// which request is next and is handed what came of it; a thread drives it in production
/// (reflection.h), the simulation's loop in tests.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/informer.h>
#include <holdfast/net/client.h>

#include <optional>
#include <string>

namespace holdfast::kube {

/// States, and what moves it:
///   Streaming  a watch with sendInitialEvents; the annotated bookmark completes the first list.
///              A server that does not know it (422, 400) → Listing for good
///   Listing    pages at resourceVersion 0, or at the last known version after 410; Expired or "too large
///              resource version" → at "" ; complete → Watching
///   Watching   events and bookmarks move the version; a normal end re-opens it from there; 410 →
///              Listing; 429 and refused connections pause and re-open, without a list
///   Pausing    800 ms doubling to 30 s with jitter, back to the start after two quiet minutes
class Reflector {
 public:
  Reflector(Informer& informer, Random& random, std::string user_agent = "holdfast");

  struct Next {
    enum class Do { Wait, List, Watch } what = Do::Wait;
    MonoTime until{};  ///< Wait: nothing to do before
    net::Call call{};  ///< List, Watch
  };
  Next next(MonoTime now);
  /// The answer of a List.
  void listed(const Result<net::Response>& answer, MonoTime now);
  /// Bytes of an open Watch; half lines are kept. False: close the stream, it is of no more use.
  bool received(std::string_view bytes, MonoTime now);
  /// The Watch ended, or never began (its answer's status and body say why).
  void ended(const Result<net::Response>& answer, MonoTime now);

  /// The last trouble, "" when all is well; for health pages and messages.
  std::string trouble() const;
  /// How often a full list was begun.
  int lists() const { return lists_; }

 private:
  struct State;
  // … the implementation's members
  int lists_ = 0;
};

}  // namespace holdfast::kube
