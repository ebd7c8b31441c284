/// Sender of one Write: the fence is asked, the request sent once, the answer understood.
#pragma once

#include <holdfast/control/controller.h>

#include <optional>
#include <string>

namespace holdfast::control {

/// What came of a write.
struct Sent {
  enum class How {
    Done,         ///< it is so; `answer` is the object, or null if it is gone
    Fenced,       ///< not sent: the lease may end before the request does
    Overtaken,    ///< somebody else was first; look again. Not worth a word to people
    Refused,      ///< the server will not have it
    Unavailable,  ///< not carried out, and may be next time
    Unanswered,   ///< carried out or not: ask
  };
  How how = How::Done;
  model::Value answer{};
  std::optional<kube::Failure> failure{};
};

/// Which pass decided it. Said to the server, if asked for, in a header:
///   Holdfast-Pass: controller=NAME; key=NS/NAME; pass=N; epoch=E; uid=U; basis=pods:123,jobs:120
/// U is that of the object which the write was decided on; empty for creations.
struct Decided {
  std::string controller{};
  kube::Key key{};
  uint64_t pass = 0;
  std::string basis{};
};

Sent send(const Shared& shared, const Write& write, const Decided& by);

/// What a failure of that write means.
Sent::How meaning(const Write& write, const kube::Failure& failure);
/// True if the object there is what the create would have made: it has the same controlling owner,
/// or none was wanted and the labels are there.
bool is_ours(const model::Value& wanted, const model::Value& found);

/// A client that sends each request once, so that no retry outlives the moment it was decided at.
kube::Client sending_once(const kube::Client& client);

}  // namespace holdfast::control
