#include "shim/cgroups.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include "shim/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>

namespace holdfast::node {
namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";
constexpr std::array<std::string_view, 3> kControllers = {"memory", "cpu", "pids"};
constexpr int64_t kPeriodMicroseconds = 100000;

bool unified() { return std::filesystem::exists(fmt::format("{}/cgroup.controllers", kRoot)); }

std::string folder(std::string_view controller, std::string_view path) {
  return unified() ? fmt::format("{}/{}", kRoot, path)
                   : fmt::format("{}/{}/{}", kRoot, controller, path);
}

bool put(const std::string& file, std::string_view text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == ssize_t(text.size());
}

/// In version 2 a group hands a controller on to its children only when told to.
void hand_on(const std::string& parent) {
  for (const std::string_view controller : kControllers)
    put(parent + "/cgroup.subtree_control", fmt::format("+{}", controller));
}

Result<void> make_folder_of(std::string_view controller, std::string_view path) {
  std::string made = std::string(folder(controller, ""));
  for (const std::string_view step : split(path, '/')) {
    if (unified()) hand_on(made);
    made = fmt::format("{}/{}", made, step);
    if (mkdir(made.c_str(), 0755) != 0 && errno != EEXIST)
      return system_error("make the control group " + made, errno);
  }
  return {};
}

int64_t number_after(std::string_view text, std::string_view word) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ') continue;
    int64_t number = 0;
    std::from_chars(line.data() + word.size() + 1, line.data() + line.size(), number);
    return number;
  }
  return 0;
}

void set(const std::string& file, std::string_view text, std::string& failed) {
  if (put(file, text)) return;
  failed += fmt::format("{}{}", failed.empty() ? "" : ", ", file);
}

void set_cpu(const std::string& at, const CgroupLimits& limits, std::string& failed) {
  if (limits.cpu_quota > 0 && unified())
    set(at + "/cpu.max", fmt::format("{} {}", limits.cpu_quota, kPeriodMicroseconds), failed);
  if (limits.cpu_quota > 0 && !unified())
    set(at + "/cpu.cfs_quota_us", std::to_string(limits.cpu_quota), failed);
  if (limits.cpu_shares > 0 && unified())
    set(at + "/cpu.weight", std::to_string(1 + (limits.cpu_shares - 2) * 9999 / 262142), failed);
  if (limits.cpu_shares > 0 && !unified())
    set(at + "/cpu.shares", std::to_string(limits.cpu_shares), failed);
}

}  // namespace

Result<void> Cgroup::make(const CgroupLimits& limits) const {
  for (const std::string_view controller : kControllers) {
    HF_TRY(make_folder_of(controller, path_));
    if (unified()) break;
  }
  std::string failed;
  if (limits.memory > 0)
    set(folder("memory", path_) + (unified() ? "/memory.max" : "/memory.limit_in_bytes"),
        std::to_string(limits.memory), failed);
  set_cpu(folder("cpu", path_), limits, failed);
  if (limits.pids > 0)
    set(folder("pids", path_) + "/pids.max", std::to_string(limits.pids), failed);
  if (!failed.empty()) return Error(Fault::Denied, "set limits: the kernel refused " + failed);
  return {};
}

void Cgroup::join() const {
  for (const std::string_view controller : kControllers) {
    put(folder(controller, path_) + "/cgroup.procs", "0");
    if (unified()) break;
  }
}

int64_t Cgroup::oom_kills() const {
  const Result<std::string> text =
      read_file(folder("memory", path_) + (unified() ? "/memory.events" : "/memory.oom_control"));
  return text ? number_after(*text, "oom_kill") : 0;
}

void Cgroup::remove() const {
  for (const std::string_view controller : kControllers) {
    rmdir(folder(controller, path_).c_str());
    if (unified()) break;
  }
}

bool limits_enforced() { return access(folder("memory", "").c_str(), W_OK) == 0; }

}  // namespace holdfast::node
