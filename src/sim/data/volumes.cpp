#include "data/volumes.h"

#include <holdfast/protect/cut/records.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::sim {
namespace {

using model::string_at;
using model::Value;

constexpr std::string_view kBetween = ": ";

bool mounts(const Value& pod, const std::string& claim) {
  const std::vector<std::string> claims = protect::claims_of(pod);
  return std::find(claims.begin(), claims.end(), claim) != claims.end();
}

}  // namespace

std::string_view version_in(std::string_view data) {
  const size_t at = data.find(kBetween);
  return at == std::string_view::npos ? data : data.substr(at + kBetween.size());
}

std::string Volumes::volume_of(const kube::Key& claim) const {
  const ObjectPtr object = history_.get(kube::kClaims.plural, claim.ns, claim.name);
  return object == nullptr ? "" : std::string(string_at(*object, {"spec", "volumeName"}));
}

std::string Volumes::on(const kube::Key& claim) const {
  const auto found = volumes_.find(volume_of(claim));
  return found == volumes_.end() ? "" : found->second;
}

void Volumes::write(const kube::Key& claim, std::string data) {
  if (const std::string volume = volume_of(claim); !volume.empty())
    volumes_[volume] = std::move(data);
}

std::string Volumes::read(const kube::Key& claim) {
  for (const auto& [key, pod] : history_.now("pods")) {
    if (key.ns != claim.ns || string_at(*pod, {"status", "phase"}) != "Running" ||
        !mounts(*pod, claim.name))
      continue;
    for (const auto& part : parts_)
      if (const auto version = part->written(*pod)) {
        write(claim, fmt::format("{}{}{}", claim.name, kBetween, *version));
        break;
      }
  }
  return on(claim);
}

std::optional<std::string> Volumes::source_of(const Value& claim) const {
  const std::string_view name = string_at(claim, {"spec", "dataSource", "name"});
  if (name.empty()) return "";
  const ObjectPtr snapshot = history_.get(kube::kVolumeSnapshots.plural,
                                          string_at(claim, {"metadata", "namespace"}), name);
  if (snapshot == nullptr || !model::bool_at(*snapshot, {"status", "readyToUse"}, false))
    return std::nullopt;
  const ObjectPtr content =
      history_.get(kube::kVolumeSnapshotContents.plural, "",
                   string_at(*snapshot, {"status", "boundVolumeSnapshotContentName"}));
  if (content == nullptr) return std::nullopt;
  std::string_view handle = string_at(*content, {"status", "snapshotHandle"});
  if (handle.empty()) handle = string_at(*content, {"spec", "source", "snapshotHandle"});
  const auto found = cuts_.find(std::string(handle));
  return found == cuts_.end() ? "" : found->second;
}

}  // namespace holdfast::sim
