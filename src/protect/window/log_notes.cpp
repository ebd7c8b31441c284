#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/protect/cut/log_notes.h>
#include <holdfast/protect/cut/window.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

constexpr const char* kPresent = R"sh(
cd -P "$1" || exit
shift
for name; do
  [ -f "$name" ] && continue
  echo "$name is gone" >&2
  exit 1
done
)sh";

/// Of one pod, as the profile prints it.
struct Said {
  std::map<std::string, std::string> files{}, paths{};
  std::vector<std::string> segments{};
  std::string failure{};  ///< the session's own word for it
};

/// The words of a line that ends with its dot; none if it was cut short.
std::vector<std::string> whole(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view each : split(text, ' ')) words.emplace_back(each);
  if (words.size() < 2 || words.back() != ".") return {};
  words.pop_back();
  return words;
}

Said heard_in(const std::string& pod, const std::vector<QuiesceNote>& notes) {
  Said out;
  for (const QuiesceNote& note : notes) {
    if (note.pod != pod) continue;
    const std::string_view text = note.text;
    if (text.starts_with("LABEL ")) {
      const std::vector<std::string> words = whole(text);
      if (words.size() == 3 && !words[2].empty()) out.files[words[1]] = words[2];
    } else if (text.starts_with("WAL ")) {
      const std::vector<std::string> words = whole(text);
      if (!words.empty()) out.segments.assign(words.begin() + 1, words.end());
    } else if (text.starts_with("FAILED ")) {
      out.failure = text.substr(7);
    } else if (text.starts_with("AT ")) {
      const std::string_view place = text.substr(3);
      const size_t space = place.find(' ');
      if (space != std::string_view::npos)
        out.paths[std::string(place.substr(0, space))] = place.substr(space + 1);
    }
  }
  return out;
}

bool is_inside(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  return path.starts_with(folder) &&
         (path.size() == folder.size() || folder == "/" || path[folder.size()] == '/');
}

/// The volume that a path of the container is on, and where on it.
std::optional<std::pair<std::string, std::string>> place_of(const PodRecord& pod,
                                                            const std::string& path) {
  const MountRecord* nearest = nullptr;
  for (const MountRecord& each : pod.mounts)
    if (is_inside(path, each.path) &&
        (nearest == nullptr || each.path.size() > nearest->path.size()))
      nearest = &each;
  if (path.empty() || nearest == nullptr) return std::nullopt;
  std::string directory = nearest->directory;
  std::string_view rest =
      std::string_view(path).substr(std::min(path.size(), nearest->path.size()));
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (!rest.empty()) directory += fmt::format("{}{}", directory.empty() ? "" : "/", rest);
  return std::pair(nearest->claim, directory);
}

const ClaimRecord* find_claim(const CutInputs& inputs, std::string_view name) {
  for (const ClaimRecord& each : inputs.claims)
    if (each.name == name && !each.log) return &each;
  return nullptr;
}

/// Where its tables are beside its folder: lines of OID and path.
std::vector<std::string> tablespaces(const Said& said) {
  std::vector<std::string> out;
  const auto map = said.files.find("tablespace_map");
  if (map == said.files.end()) return out;
  const std::string text = from_base64(map->second).value_or("");
  for (const std::string_view line : split(text, '\n'))
    if (const size_t space = line.find(' '); space != std::string_view::npos)
      out.emplace_back(line.substr(space + 1));
  return out;
}

Error outside(const PodRecord& pod, std::string_view what, const std::string& path) {
  return {Fault::Invalid,
          fmt::format("the {} of the server in pod {} is on no volume of the cut: {}", what,
                      pod.name, path)};
}

Result<ClaimRecord> log_claim(const CutInputs& inputs, const PodRecord& pod, const Said& said) {
  if (said.segments.empty() || !said.files.contains("backup_label"))
    return Error(Fault::Invalid,
                 fmt::format("the server in pod {} gave no label and log: {}", pod.name,
                             said.failure.empty()
                                 ? "it is no primary, or has recycled some of its log already"
                                 : said.failure));
  LogRecord log{.pod = pod.name, .segments = said.segments, .files = said.files};
  const auto path_of = [&](const std::string& what) {
    const auto found = said.paths.find(what);
    return found == said.paths.end() ? std::string() : found->second;
  };
  const auto in_group = [&](const std::string& path) {
    auto place = place_of(pod, path);
    return place && find_claim(inputs, place->first) != nullptr ? place : std::nullopt;
  };
  log.path = path_of("log");
  const auto data = in_group(path_of("data")), segments = in_group(log.path);
  if (!data) return outside(pod, "folder", path_of("data"));
  if (!segments) return outside(pod, "log", log.path);
  for (const std::string& each : tablespaces(said))
    if (!in_group(each)) return outside(pod, "tablespace", each);
  std::tie(log.data_claim, log.data_directory) = *data;
  log.directory = segments->second;
  HF_TRY(check(log));
  ClaimRecord out = *find_claim(inputs, segments->first);
  out.log = std::move(log);
  return out;
}

}  // namespace

Result<std::vector<ClaimRecord>> log_claims(const CutInputs& inputs,
                                            const std::vector<QuiesceNote>& notes) {
  std::vector<ClaimRecord> out;
  for (const PodRecord& pod : inputs.pods)
    out.push_back(HF_TRY(log_claim(inputs, pod, heard_in(pod.name, notes))));
  return out;
}

QuiesceCommand presence_of(const LogRecord& log) {
  QuiesceCommand out;
  out.name = "log";
  out.args = {"/bin/sh", "-c", kPresent, "holdfast-log", log.path};
  out.args.insert(out.args.end(), log.segments.begin(), log.segments.end());
  return out;
}

std::vector<QuiesceTarget> log_checks(const CutInputs& inputs) {
  std::vector<QuiesceTarget> out;
  for (const ClaimRecord& claim : inputs.claims) {
    if (!claim.log) continue;
    for (const QuiesceTarget& target : quiesce_task(inputs).targets)
      for (const QuiesceCommand& each : target.before)
        if (target.where.pod == claim.log->pod && each.way == QuiesceCommand::Way::Profile)
          out.push_back({.where = target.where, .before = {presence_of(*claim.log)}});
  }
  return out;
}

}  // namespace holdfast::protect
