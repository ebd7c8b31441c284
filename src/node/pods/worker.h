/// Worker of one pod: a thread that lets PodMachine decide, does what it says, and reports.
#pragma once

#include <holdfast/kube/cached.h>

#include "pods/container_spec.h"
#include "pods/machine.h"
#include "pods/status.h"
#include "probes/prober.h"
#include "shim/calls.h"

#include <deque>

namespace holdfast::node {

class PodWorker {
 public:
  PodWorker(Surroundings& around, const kube::Cached& pod);
  /// From a folder without a pod: what is left of one that was deleted meanwhile.
  PodWorker(Surroundings& around, const Sandbox& left);
  ~PodWorker();

  void update(const kube::Cached& pod);
  void removed();
  /// The names that pods find each other by have changed.
  void refresh_hosts();
  /// Ends the pod's processes within their grace, for a machine that goes down.
  void leave();
  /// Nothing of the pod is left on the machine and on the server.
  bool gone() const { return gone_; }
  bool idle() const { return idle_; }  ///< none of its processes lives
  const std::string& uid() const { return uid_; }

  /// For logs and exec: the id of the container's current or previous run; NotFound in kubelet's
  /// words.
  Result<ContainerRecord> run_of(const std::string& container, bool previous) const;
  Result<std::string> address() const;
  std::filesystem::path folder() const { return folder_; }
  std::filesystem::path log_folder() const { return log_folder_; }

 private:
  struct Mail {
    std::function<void(MonoTime now)> act;
  };
  void post(std::function<void(MonoTime)> act);
  void run(const std::stop_token& stop);
  void take_up();
  void read_mail();
  void wait(std::optional<MonoTime> until);
  void hear_shim();
  void read_records();
  void perform(const Action& action);
  void take_up_users(int64_t first);
  void prepare();
  Result<void> choose_users();
  Result<void> make_sandbox();
  void start(const Action& action);
  void run_hook(const Action& action);
  void signal(const Action& action);
  void finish();
  void clean_up();
  void forget_secrets();
  void mind_probes();
  void on_probe(const ProbeNews& news, MonoTime now);
  void read_termination_message(const ContainerDef& def);
  void look_for_clash(const ContainerDef& def);
  void forget_old_runs(const std::string& container, int64_t attempt);
  void refresh_volumes();
  void publish();
  void share();
  void tell(bool warning, std::string reason, std::string message);
  /// Of one of the pod's containers.
  void tell_of(const ContainerDef& def, bool warning, std::string reason, std::string message);
  void tell_refusal(const ContainerDef& def, const Refusal& refusal);
  void tell_back_off();
  VolumeSources sources() const;
  VolumeFolders volume_folders() const;
  Result<std::string> claim_folder(const std::string& claim) const;
  Result<std::string> token(const VolumeSources::Token& wanted) const;

  Surroundings& around_;
  const std::string uid_;
  kube::Cached cached_;
  std::filesystem::path folder_, log_folder_;
  ShimCalls shim_;
  PodMachine machine_;
  PodFacts facts_;
  std::string start_time_;
  model::Value published_;
  MonoTime refresh_at_{0}, publish_at_{0};
  Fd shim_watch_, wake_;
  std::map<std::string, std::unique_ptr<Prober>> probers_;
  std::map<std::string, int64_t> probed_;         ///< the run that a container's prober is for
  std::map<std::string, int64_t> back_off_told_;  ///< the run whose end was told as back-off
  struct IssuedToken {
    std::string text;
    MonoTime renew_at{0};
  };
  mutable std::map<std::string, IssuedToken> tokens_;  ///< by audience and lifetime
  std::vector<std::jthread> hooks_;
  bool with_server_ = true;  ///< the pod is on the server

  mutable Mutex mutex_;
  std::deque<Mail> mail_ HF_GUARDED_BY(mutex_);
  struct Runs {
    std::optional<ContainerRecord> current, previous;
    std::string waiting;  ///< why there is none yet
  };
  std::map<std::string, Runs> runs_ HF_GUARDED_BY(mutex_);
  std::string ip_ HF_GUARDED_BY(mutex_);
  std::atomic<bool> gone_{false}, idle_{false};
  std::jthread thread_;
};

}  // namespace holdfast::node
