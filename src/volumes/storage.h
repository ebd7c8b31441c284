/// Claims, volumes and classes, as far as decisions about them need.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/model/quantity.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::volumes {

/// What claims and volumes have alike.
struct Storage {
  kube::Cached object{};
  std::shared_ptr<const model::Value> value{};
  std::string ns{}, name{}, uid{};
  bool deleting = false;
  std::string phase{};
  std::string class_name{};
  bool block = false;  ///< volumeMode
  std::set<std::string> modes{};

  /// "" if it has none of that name.
  std::string_view annotation(std::string_view key) const;
  bool annotated(std::string_view key) const;
};

struct Claim : Storage {
  std::string volume_name{};
  model::Quantity requested{};
  std::string text() const { return ns + "/" + name; }
  /// Of either name.
  std::string_view provisioner() const;
};

struct Volume : Storage {
  bool has_claim = false;  ///< spec.claimRef is there
  std::string claim_ns{}, claim_name{}, claim_uid{};
  model::Quantity capacity{};
  std::string reclaim{};

  /// Its claimRef is this claim's, or was written for it by name before it existed.
  bool meant_for(const Claim& claim) const;
  /// A pod on the node can use it. Terms are or-ed, the expressions of one and-ed; `In` of
  /// kubernetes.io/hostname is the only one understood, as local volumes have no other.
  bool reachable_from(std::string_view node) const;
};

struct Class {
  std::string name{}, provisioner{}, reclaim{};
  bool waits = false;  ///< volumeBindingMode: WaitForFirstConsumer
  bool expands = false;
};

Claim read_claim(const kube::Cached& object);
Volume read_volume(const kube::Cached& object);
Class read_class(const kube::Cached& object);

/// The amount at that path; nothing there, or no quantity: zero.
model::Quantity quantity_at(const model::Value& root, std::initializer_list<std::string_view> path);

}  // namespace holdfast::volumes
