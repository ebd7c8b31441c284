/// One container as its shim sees it: launched, decided (its command runs, or does not), ended.
#pragma once

#include <holdfast/base/clock.h>

#include "shim/launch.h"
#include "shim/log_file.h"

#include <poll.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::node {

class Container {
 public:
  Container(const PodPlace& place, ContainerSpec spec, const Clock& clock);

  /// Its processes are on their way, or the record says why not.
  void start();
  /// What it waits for.
  void add_polls(std::vector<pollfd>& polls) const;
  /// True if its record changed.
  bool on_ready(int fd);
  /// Our child ended with this status of waitpid.
  void on_exit(int status);
  /// To the container's first process. NotFound if it does not run.
  Result<void> signal(int number);

  pid_t child() const { return launched_.pid; }
  const Launched& launched() const { return launched_; }
  /// Whether its command runs is known.
  bool decided() const { return decided_; }
  const ContainerSpec& spec() const { return spec_; }
  const ContainerRecord& record() const { return record_; }

 private:
  void read_report();
  void read_news(int wait_milliseconds);
  void read_output(Fd& fd, LogFile::Stream& stream);
  void decide();
  void drain();
  void save();

  const PodPlace& place_;
  const ContainerSpec spec_;
  const Clock& clock_;
  ContainerRecord record_;
  Launched launched_;
  std::string report_;
  bool decided_ = false;
  LogFile log_;
  LogFile::Stream output_{log_, "stdout"}, error_{log_, "stderr"};
};

/// The exit code that the field knows for a status of waitpid: 128 + n for signal n.
int64_t exit_code_of(int status);

}  // namespace holdfast::node
