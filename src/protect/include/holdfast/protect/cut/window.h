/// Window of a run: the application is quiesced, all volumes are cut, the application is released.
/// One effect of the operator, begun once and never again: what a dead one left is compensated.
#pragma once

#include <holdfast/protect/cut/cut_inputs.h>
#include <holdfast/protect/outside.h>

namespace holdfast::protect {

/// What is created to make the cut, and where its answer is read.
struct CutObject {
  kube::Resource resource = kube::kVolumeSnapshots;  ///< or VolumeGroupSnapshots
  model::Value object{};
};

/// The reason of a window that its operator did not live to end.
inline constexpr const char* kInterrupted = "Interrupted";

struct WindowTask {
  QuiesceTask quiesce{};
  std::vector<CutObject> cuts{};
  /// After that no cut is asked for, nor one more of several: another leader may be there by then.
  std::chrono::milliseconds limit{8000};
};

/// How it went; the `result` of the operation's record. Times are those of the operator.
struct WindowResult {
  std::vector<QuiesceStep> steps{};
  std::vector<Owed> owed{};
  std::vector<QuiesceNote> notes{};
  std::vector<std::string> unseen{};  ///< commands whose end only the servers on the way told
  std::string reason{}, message{};    ///< why there is no good cut; empty: there is one
  std::string frozen_at{}, cut_asked_at{}, cut_seen_at{}, thawed_at{};
  std::vector<std::string> creation_times{};  ///< as the driver says
  std::vector<std::string> cut_uids{};        ///< of the objects that made the cut, in their order
  bool quiesced = false;  ///< something was held still, from before the cut was asked for
  bool held = false;      ///< and still was when the cut was seen
  bool observed = false;  ///< by sessions that said READY, not only by commands that ended
  bool guarded = true;
  bool lingering = false;  ///< a guard or a session stays until its deadline
  int64_t acquire_micros = 0, window_micros = 0, cut_micros = 0, skew_micros = 0;

  template <class V>
  void fields(V& v) {
    v.optional("steps", steps, "");
    v.optional("owed", owed, "");
    v.optional("notes", notes, "");
    v.optional("unseen", unseen, "");
    v.optional("reason", reason, "");
    v.optional("message", message, "");
    v.optional("frozenAt", frozen_at, "");
    v.optional("cutAskedAt", cut_asked_at, "");
    v.optional("cutSeenAt", cut_seen_at, "");
    v.optional("thawedAt", thawed_at, "");
    v.optional("creationTimes", creation_times, "");
    v.optional("cutUIDs", cut_uids, "");
    v.required("quiesced", quiesced, "");
    v.required("held", held, "");
    v.required("observed", observed, "");
    v.required("guarded", guarded, "");
    v.optional("lingering", lingering, "");
    v.required("acquireMicros", acquire_micros, "");
    v.required("windowMicros", window_micros, "");
    v.required("cutMicros", cut_micros, "");
    v.optional("skewMicros", skew_micros, "");
  }
};

WindowResult run_window(const WindowTask& task, const Outside& outside);

/// What each pod of a run has to do.
QuiesceTask quiesce_task(const CutInputs& inputs);

}  // namespace holdfast::protect
