#include "pods/container_spec.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "pods/identity.h"
#include "rootfs/beneath.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace holdfast::node {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

constexpr std::string_view kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<std::string> expanded(const model::Array& words, const Variables& variables) {
  std::vector<std::string> out;
  for (const Value& word : words)
    if (word.is_string()) out.push_back(expand(model::view(word.get_string()), variables));
  return out;
}

int64_t amount(const ContainerDef& container, std::string_view list, std::string_view name,
               bool milli) {
  const Value* value = model::find(*container.object, {"resources", list, name});
  if (value == nullptr || !value->is_string()) return 0;
  const Result<model::Quantity> parsed = model::Quantity::parse(model::view(value->get_string()));
  if (!parsed) return 0;
  return milli ? parsed->milli_value() : parsed->value();
}

void set_limits(ContainerSpec& spec, const ContainerDef& container, const Pod& pod,
                const Surroundings& around) {
  spec.memory_limit = amount(container, "limits", "memory", false);
  const int64_t cpu_limit = amount(container, "limits", "cpu", true),
                cpu_request = amount(container, "requests", "cpu", true);
  if (cpu_limit > 0) spec.cpu_quota = std::max<int64_t>(1000, cpu_limit * 100);  // of 100 ms
  spec.cpu_shares = std::max<int64_t>(2, cpu_request * 1024 / 1000);
  const std::string_view quality = string_at(*pod.object, {"status", "qosClass"});
  const int64_t memory = amount(container, "requests", "memory", false);
  spec.oom_score_adj = 1000;
  if (quality == "Guaranteed") spec.oom_score_adj = -997;
  if (quality == "Burstable" && around.memory_bytes > 0)
    spec.oom_score_adj = std::clamp<int64_t>(1000 - 1000 * memory / around.memory_bytes, 3, 999);
}

void set_environment(ContainerSpec& spec, const Variables& variables, const Pod& pod,
                     const std::string& home) {
  const auto has = [&variables](std::string_view name) {
    return std::any_of(variables.begin(), variables.end(),
                       [name](const auto& each) { return each.first == name; });
  };
  if (!has("PATH")) spec.process.env.push_back(fmt::format("PATH={}", kPath));
  if (!has("HOSTNAME")) spec.process.env.push_back("HOSTNAME=" + hostname_of(pod));
  for (const auto& [name, value] : variables) spec.process.env.push_back(name + "=" + value);
  if (!has("HOME")) spec.process.env.push_back("HOME=" + home);
  if (spec.process.tty && !has("TERM")) spec.process.env.emplace_back("TERM=xterm");
}

/// A file of the image: as its processes would find it, and no more of it than such a file has.
std::string text_in(const std::string& root, const char* file) {
  constexpr size_t kMost = size_t(1) << 20;
  const Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd found = open_inside(folder, file);
  struct stat facts {};
  if (!found || fstat(found.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return "";
  Result<std::string> text = read_start(fmt::format("/proc/self/fd/{}", found.get()), kMost);
  return text ? text.take() : "";
}

Refusal config_error(const Error& error) { return {"CreateContainerConfigError", error.what()}; }

/// What the node itself puts into every container.
Result<void> add_own_mounts(ContainerSpec& spec, const ContainerDef& container,
                            const PodFacts& facts) {
  const std::filesystem::path folder = facts.folder / "containers" / spec.id;
  HF_TRY(make_folder(folder, 0755));
  const auto taken = [&spec](std::string_view path) {
    return std::any_of(spec.mounts.begin(), spec.mounts.end(),
                       [path](const MountSpec& each) { return each.to == path; });
  };
  const auto add = [&spec](const std::filesystem::path& file, std::string to) {
    spec.mounts.push_back({.from = file.string(), .to = std::move(to), .made_here = true});
  };
  for (const char* name : {"hosts", "hostname"})
    if (const std::string to = std::string("/etc/") + name; !taken("/etc") && !taken(to))
      add(facts.folder / name, to);
  if (!container.termination_path.empty()) {
    const std::filesystem::path file = folder / "termination-log";
    HF_TRY(write_file(file, "", 0666));
    std::filesystem::permissions(file, std::filesystem::perms(0666));
    add(file, container.termination_path);
  }
  return {};
}

/// "/a" before "/a/b", whatever the order in which they were written.
void put_outer_first(std::vector<MountSpec>& mounts) {
  const auto depth = [](const MountSpec& mount) {
    const std::vector<std::string_view> parts = split(mount.to, '/');
    return std::count_if(parts.begin(), parts.end(),
                         [](std::string_view part) { return !part.empty() && part != "."; });
  };
  std::stable_sort(mounts.begin(), mounts.end(), [&depth](const MountSpec& a, const MountSpec& b) {
    return depth(a) < depth(b);
  });
}

Result<void, Refusal> set_process(ContainerSpec& spec, const Pod& pod,
                                  const ContainerDef& container, const Variables& variables,
                                  Ids ids, SeccompFilters& filters) {
  ProcessSpec& process = spec.process;
  process.args = expanded(array_at(*container.object, {"command"}), variables);
  const std::vector<std::string> more = expanded(array_at(*container.object, {"args"}), variables);
  process.args.insert(process.args.end(), more.begin(), more.end());
  if (process.args.empty())
    return Refusal{"CreateContainerError",
                   "no command specified: an image on this node is a folder and has no entrypoint; "
                   "set the container's command"};
  process.tty = model::bool_at(*container.object, {"tty"}, false);
  process.cwd = string_at(*container.object, {"workingDir"});
  if (process.cwd.empty()) process.cwd = "/";
  Result<PersonOf> person = person_of(pod, container, text_in(spec.image_root, "/etc/passwd"),
                                      text_in(spec.image_root, "/etc/group"), ids);
  if (!person) return config_error(person.error());
  process.uid = person->uid;
  process.gid = person->gid;
  process.groups = person->groups;
  process.capabilities = person->capabilities;
  spec.privileged = person->privileged;
  if (person->unconfined) return {};
  Result<std::filesystem::path> filter =
      filters.file_for(strtoull(process.capabilities.c_str(), nullptr, 16));
  if (!filter) return Refusal{"CreateContainerError", filter.error().what()};
  spec.filter = filter->string();
  set_environment(spec, variables, pod, person->home);
  return {};
}

}  // namespace

Result<ContainerSpec, Refusal> container_spec(const Pod& pod, const ContainerDef& container,
                                              int64_t attempt, const PodFacts& facts,
                                              Surroundings& around, const EnvSources& sources) {
  Result<std::string, ImageError> root =
      around.images.root_of(container.image, container.pull_policy);
  if (!root) return Refusal{root.error().reason, root.error().message, true};
  ContainerSpec spec;
  spec.id = make_container_id(pod.uid, container.name, attempt);
  spec.name = container.name;
  spec.attempt = attempt;
  spec.image_root = root.take();
  if (spec.image_root == "/") spec.masked = around.masked;
  spec.log = log_file_of(facts.log_folder, container.name, attempt).string();
  spec.stdin_open = model::bool_at(*container.object, {"stdin"}, false);
  spec.read_only_root =
      model::bool_at(*container.object, {"securityContext", "readOnlyRootFilesystem"}, false);
  const Result<Variables> variables = environment_of(pod, container, sources);
  if (!variables) return config_error(variables.error());
  HF_TRY(set_process(spec, pod, container, *variables,
                     facts.users != 0 ? Ids::OfNamespace : Ids::OfMachine, around.filters));
  Result<std::vector<MountSpec>> mounts = mounts_of(pod, container, facts.volumes, *variables);
  if (!mounts) return config_error(mounts.error());
  spec.mounts = mounts.take();
  set_limits(spec, container, pod, around);
  const Result<void> own = add_own_mounts(spec, container, facts);
  if (!own) return Refusal{"CreateContainerError", own.error().what()};
  put_outer_first(spec.mounts);
  // Below all volumes, as what an image has is.
  std::vector<MountSpec> files = around.images.files_of(container.image);
  spec.mounts.insert(spec.mounts.begin(), std::make_move_iterator(files.begin()),
                     std::make_move_iterator(files.end()));
  std::error_code ignored;
  std::filesystem::create_directories(facts.log_folder / container.name, ignored);
  return spec;
}

}  // namespace holdfast::node
