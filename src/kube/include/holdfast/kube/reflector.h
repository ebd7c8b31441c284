/// Reflector: keeps an informer equal to the server: list, then watch from there, for ever.
/// Passive: it says which request is next and is handed what came of it; a thread drives it in
/// production (informers.h), the simulation's loop in tests.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/informer.h>
#include <holdfast/net/client.h>

#include <memory>
#include <string>

namespace holdfast::kube {

/// States, and what moves it:
///   Streaming  a watch with sendInitialEvents; the annotated bookmark completes the list and makes
///              it Watching. A server that does not know it (400, 422, or an end without the
///              bookmark) → Listing for good
///   Listing    pages at resourceVersion 0, or not older than the last known version; Expired or
///              "too large resource version" → at "" ; complete → Watching
///   Watching   events and bookmarks move the version; an end re-opens it from there, after a pause
///              if it lasted less than a second; refusals pause and re-open; 410, a line that is no
///              event, or five refusals in a row → a list not older than the last known version
///   Pausing    800 ms doubling with jitter, back to the start after two quiet minutes: up to 4 s
///              while the server is away (no answer, 5xx), ended by any answer; up to 6 s for what
///              it refuses (401, 403, 404); else up to 30 s
///
/// What it holds of a server that misbehaves is bounded: one line of 8 MiB, one page of 512 MiB, a
/// list of 4 GiB.
class Reflector {
 public:
  Reflector(Informer& informer, Random& random, std::string user_agent = "holdfast");
  ~Reflector();

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

  /// The server has answered a request of another: a pause for want of an answer ends now.
  void hurry(MonoTime now);
  /// It is in such a pause.
  bool is_away(MonoTime now) const;

  struct Trouble {
    std::string text{};
    int code = 0;  ///< of the server's refusal; 0: it was not reached, or did not make sense
  };
  /// The last trouble, empty once the server has said anything good again; for health pages and
  /// messages. From any thread.
  Trouble trouble() const;
  /// How often a full list was begun. From any thread.
  int lists() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast::kube
