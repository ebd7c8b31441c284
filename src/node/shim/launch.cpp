#include "shim/launch.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>

#include "shim/cgroups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

// Where init finds its descriptors; bwrap hands on what it does not know.
constexpr int kInit = 3, kSpec = 4, kReport = 5, kStatus = 6, kProcesses = 7, kSubPaths = 8;

/// Overlay options are lists: what separates them is escaped in paths.
std::string escaped(const std::filesystem::path& path) {
  std::string out;
  for (const char c : path.string()) {
    if (c == ':' || c == ',' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

bool overlay(const std::string& lower, const std::filesystem::path& layer,
             const std::string& root) {
  std::error_code ignored;
  std::filesystem::create_directories(layer / "upper", ignored);
  std::filesystem::create_directories(layer / "work", ignored);
  const std::string options = fmt::format("lowerdir={},upperdir={},workdir={}", escaped(lower),
                                          escaped(layer / "upper"), escaped(layer / "work"));
  return mount("overlay", root.c_str(), "overlay", 0, options.c_str()) == 0;
}

/// The layer lies on disk where the kernel allows it; not below the image's own root on the same
/// file system: then in memory.
Result<std::string> make_root(const PodPlace& place, const ContainerSpec& spec) {
  const std::filesystem::path root = place.folder / "root" / spec.id;
  const std::filesystem::path layer = place.folder / "containers" / spec.id / "layer";
  HF_TRY(make_folder(root, 0755));
  HF_TRY(make_folder(layer, 0755));
  if (overlay(spec.image_root, layer, root)) return root.string();
  if (mount("layer", layer.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=25%") != 0)
    return system_error("mount a layer for writes at " + layer.string(), errno);
  if (overlay(spec.image_root, layer, root)) return root.string();
  return system_error(fmt::format("mount the image {} for writing", spec.image_root), errno);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

void put_oom_score(int64_t score) {
  const std::string text = std::to_string(score);
  const Fd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (fd) static_cast<void>(!::write(fd.get(), text.data(), text.size()));
}

[[noreturn]] void fail_child(const char* doing) {
  const std::string text = fmt::format("{}: {}", doing, strerrordesc_np(errno));
  static_cast<void>(!::write(kReport, text.data(), text.size()));
  _exit(128);
}

struct Ends {
  Pipe report, status, output, error, input;
  Fd spec, null;
};

Result<Ends> make_ends(const ContainerSpec& spec) {
  Ends ends;
  ends.report = HF_TRY(make_pipe());
  ends.status = HF_TRY(make_pipe());
  ends.output = HF_TRY(make_pipe());
  ends.error = HF_TRY(make_pipe());
  if (spec.stdin_open) {
    ends.input = HF_TRY(make_pipe());
    // This end is the container's, who expects a stdin that waits.
    fcntl(ends.input.read.get(), F_SETFL, 0);
  }
  ends.spec = HF_TRY(memory_file("process", init_words(spec.process)));
  ends.null = Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  return ends;
}

Fd open_beneath(const Fd& folder, const std::string& path, uint64_t more) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more;
  return Fd(int(syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
}

/// Opened here and mounted by descriptor, so that nobody can put a link in its place in between.
/// Links that stay in the volume are followed, as a ConfigMap's files are; what is not there is
/// made without following any.
Result<Fd> open_sub_path(const MountSpec& mount) {
  Fd at(::open(mount.from.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return system_error("open the volume " + mount.from, errno);
  if (Fd there = open_beneath(at, mount.sub_path, 0)) return there;
  for (const std::string_view part : split(mount.sub_path, '/')) {
    if (part.empty() || part == ".") continue;
    const std::string step(part);
    if (part != "..") mkdirat(at.get(), step.c_str(), 0755);
    Fd next = open_beneath(at, step, RESOLVE_NO_SYMLINKS);
    if (!next)
      return system_error(fmt::format("failed to prepare subPath for volumeMount: {} of {}",
                                      mount.sub_path, mount.to),
                          errno);
    at = std::move(next);
  }
  return at;
}

Result<std::vector<Fd>> open_sub_paths(const ContainerSpec& spec) {
  std::vector<Fd> opened;
  for (const MountSpec& mount : spec.mounts)
    if (!mount.sub_path.empty()) opened.push_back(HF_TRY(open_sub_path(mount)));
  return opened;
}

/// With the mode that other runtimes give them: bwrap would let nobody but root through the folders
/// that it makes.
Result<void> make_mount_points(const ContainerSpec& spec, const std::string& root) {
  for (const MountSpec& mount : spec.mounts) {
    const std::filesystem::path point = root + inside(root, mount.to);
    std::error_code none;
    const bool folder =
        std::filesystem::is_directory(std::filesystem::path(mount.from) / mount.sub_path, none);
    if (std::filesystem::exists(point, none)) continue;
    HF_TRY(make_folder(folder ? point : point.parent_path(), 0755));
    if (folder) continue;
    const Fd made(::open(point.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!made) return system_error("make the mount point " + mount.to, errno);
  }
  return {};
}

/// A limit that cannot be set is complained about; the container runs all the same.
std::string limited_group(const PodPlace& place, const ContainerSpec& spec) {
  std::string group = cgroup_of(place.sandbox, spec.id);
  if (group.empty()) return group;
  const Result<void> made = Cgroup(group).make(
      {.memory = spec.memory_limit, .cpu_quota = spec.cpu_quota, .cpu_shares = spec.cpu_shares});
  if (!made) log::warn(fmt::format("container {}: {}", spec.name, made.error().what()));
  return group;
}

}  // namespace

std::string cgroup_of(const Sandbox& sandbox, const std::string& container) {
  return sandbox.cgroup.empty() ? "" : sandbox.cgroup + "/" + container;
}

std::string inside(const std::filesystem::path& root, std::string_view path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path done;
  std::vector<std::string> left;
  const auto queue = [&left](std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '/');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!part->empty() && *part != ".") left.emplace_back(*part);
  };
  queue(path);
  int links = 0;
  while (!left.empty()) {
    const std::string step = std::move(left.back());
    left.pop_back();
    if (step == "..") {
      done = done.parent_path();
      continue;
    }
    std::error_code none;
    const std::filesystem::path target = std::filesystem::read_symlink(root / done / step, none);
    if (none || ++links > kMostLinks) {
      done /= step;
      continue;
    }
    if (target.is_absolute()) done.clear();
    queue(target.string());
  }
  return "/" + done.string();
}

std::string init_words(const ProcessSpec& process) {
  std::string words;
  const auto add = [&words](std::string_view word) {
    words += word;
    words += '\0';
  };
  add(std::to_string(process.uid));
  add(std::to_string(process.gid));
  add(process.capabilities);
  add(process.cwd);
  add(std::to_string(process.groups.size()));
  for (const int64_t group : process.groups) add(std::to_string(group));
  add(std::to_string(process.args.size()));
  for (const std::string& argument : process.args) add(argument);
  for (const std::string& variable : process.env) add(variable);
  return words;
}

std::vector<std::string> bwrap_arguments(const PodPlace& place, const ContainerSpec& spec,
                                         const std::string& root,
                                         const std::vector<int>& sub_paths) {
  std::vector<std::string> words = {
      "bwrap",    "--bind",   root,          "/",         "--proc",
      "/proc",    "--dev",    "/dev",        "--bind",    (place.folder / "shm").string(),
      "/dev/shm", "--mqueue", "/dev/mqueue", "--ro-bind", "/sys",
      "/sys"};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  for (const std::string& folder : spec.masked)
    if (std::filesystem::is_directory(root + folder))
      add({"--tmpfs", folder, "--remount-ro", folder});
  size_t next = 0;
  for (const MountSpec& mount : spec.mounts) {
    const std::string to = inside(root, mount.to);
    if (mount.sub_path.empty())
      add({mount.read_only ? "--ro-bind" : "--bind", mount.from, to});
    else
      add({mount.read_only ? "--ro-bind-fd" : "--bind-fd", std::to_string(sub_paths[next++]), to});
  }
  if (spec.read_only_root) add({"--remount-ro", "/"});
  if (place.processes)
    add({"--pidns", std::to_string(kProcesses)});
  else if (!place.sandbox.host_processes)
    add({"--unshare-pid", "--as-pid-1"});
  add({"--die-with-parent", "--json-status-fd", std::to_string(kStatus), "--"});
  return words;
}

Result<Launched> launch(const PodPlace& place, const ContainerSpec& spec) {
  const std::string root = HF_TRY(make_root(place, spec));
  const std::vector<Fd> opened = HF_TRY(open_sub_paths(spec));
  HF_TRY(make_mount_points(spec, root));
  Ends ends = HF_TRY(make_ends(spec));
  std::vector<int> descriptors = {spec.stdin_open ? ends.input.read.get() : ends.null.get(),
                                  ends.output.write.get(),
                                  ends.error.write.get(),
                                  place.init.get(),
                                  ends.spec.get(),
                                  ends.report.write.get(),
                                  ends.status.write.get(),
                                  place.processes ? place.processes.get() : ends.null.get()};
  std::vector<int> sub_paths;
  for (const Fd& each : opened) {
    sub_paths.push_back(kSubPaths + int(sub_paths.size()));
    descriptors.push_back(each.get());
  }
  std::vector<std::string> words = bwrap_arguments(place, spec, root, sub_paths);
  words.push_back(fmt::format("/proc/self/fd/{}", kInit));
  const std::string group = limited_group(place, spec);
  const std::vector<char*> arguments = pointers(words);
  // This process has one thread, so its copy may run ordinary code.
  const pid_t pid = fork();
  if (pid < 0) return system_error("make a process for container " + spec.name, errno);
  if (pid == 0) {
    setsid();
    forget_signals();
    if (!group.empty()) Cgroup(group).join();
    put_oom_score(spec.oom_score_adj);
    place_descriptors(descriptors);
    execvp("bwrap", arguments.data());
    fail_child("run bwrap (package bubblewrap)");
  }
  Launched launched;
  launched.pid = pid;
  launched.report = std::move(ends.report.read);
  launched.status = std::move(ends.status.read);
  launched.output = std::move(ends.output.read);
  launched.error = std::move(ends.error.read);
  launched.input = std::move(ends.input.write);
  return launched;
}

void clear_root(const PodPlace& place, const std::string& id) {
  const std::filesystem::path root = place.folder / "root" / id;
  const std::filesystem::path layer = place.folder / "containers" / id / "layer";
  umount2(root.c_str(), MNT_DETACH);
  umount2(layer.c_str(), MNT_DETACH);
  std::error_code ignored;
  std::filesystem::remove(root, ignored);
  std::filesystem::remove_all(layer, ignored);
}

}  // namespace holdfast::node
