/// The loop of a pod's shim, and what it is asked over its socket, one packet of JSON each
/// (SOCK_SEQPACKET):
///
///   {"do":"start","id":ID}              → {"record":{…}} once its command runs, or does not
///   {"do":"signal","id":ID,"signal":N}  → {}
///   {"do":"list"}                       → {"records":[…]}
///   {"do":"watch"}                      → {} now, and each time that a record has changed
///   {"do":"exec","id":ID,"leash":B} + descriptors → {"pid":N} or {"error":…}, then {"exit":CODE}
///        the descriptors: the ProcessSpec as JSON in a file, stdin, stdout, stderr
///        with a leash, the command is killed when the asker goes away
///   {"do":"end"}                        → {} when no process of the pod lives; then the shim ends
///
/// A refusal is {"error":"…"}.
#pragma once

#include "shim/container.h"

#include <functional>
#include <list>
#include <map>

namespace holdfast::node {

class Shim {
 public:
  Shim(PodPlace place, Fd listener, const Clock& clock);
  /// Until told to end.
  Result<void> run();

 private:
  struct Connection {
    Fd socket;
    bool watches = false;
    std::string awaits;  ///< the container whose start is to be answered
  };
  struct Exec {
    pid_t pid = 0;
    Fd report;
    std::string said;
    bool decided = false;
    bool leashed = false;
    std::optional<int> status;
    Connection* asker = nullptr;
  };

  void poll_once();
  void accept();
  void hear(Connection& connection);
  void answer(Connection& connection, Packet packet);
  std::string start(Connection& connection, const std::string& id);
  void forget_before(const ContainerSpec& next);
  std::string signal(const std::string& id, int number);
  std::string exec(Connection& connection, const std::string& id, bool leashed,
                   const Packet& packet);
  std::string list() const;
  void reap();
  void read_exec(Exec& exec);
  void settle_execs();
  void tell_watchers();
  void answer_starts();
  void kill_all();
  void drop_closed();
  Container* find(const std::string& id);

  PodPlace place_;
  Fd listener_, signals_;
  const Clock& clock_;
  std::list<Connection> connections_;
  std::list<Container> containers_;
  std::list<Exec> execs_;
  bool changed_ = false;
  Connection* ending_ = nullptr;
  bool ended_ = false;
};

}  // namespace holdfast::node
