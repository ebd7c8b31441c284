/// The embedded server, the controllers of this machine's volumes, and a folder for them.
#pragma once

#include <holdfast/control/runtime.h>
#include <holdfast/volumes/volumes.h>

#include "world.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::suite {

/// A folder of its own, gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Cluster {
 public:
  /// Volumes lie in the folder; the node is "n1".
  explicit Cluster(const std::filesystem::path& folder, std::string provider = "copy");
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Until nobody has anything to do within `patience`.
  void settle(std::chrono::microseconds patience = std::chrono::seconds(1));
  /// The controllers die and others start, on the same folder and server.
  void restart();

  /// Which requests of the controllers do not arrive.
  void cut_before(std::function<bool(const net::Call&)> which) {
    wire_.cut_before = std::move(which);
  }

  /// From YAML; the test fails if the server will not have it.
  model::Value create(const kube::Resource& resource, const std::string& yaml);
  model::Value patch(const kube::Resource& resource, const std::string& name,
                     const std::string& merge, const std::string& subresource = "");
  void remove(const kube::Resource& resource, const std::string& name);
  /// Null if it is not there. Of namespace "default".
  model::Value get(const kube::Resource& resource, const std::string& name);
  std::vector<model::Value> list(const kube::Resource& resource);
  /// "Reason: message" of the events on an object of that name, oldest first.
  std::vector<std::string> events(const std::string& name);
  bool has_event(const std::string& name, const std::string& part);

  /// A claim of the class, whose first pod is to run on n1; returns it, settled.
  model::Value claim(const std::string& name, const std::string& more = "",
                     const std::string& labels = "");
  /// Where the volume of a bound claim lies.
  std::filesystem::path path_of(const std::string& claim);

  World world;

 private:
  void start();
  bool watch();
  bool step_all();

  std::filesystem::path folder_;
  std::string provider_;
  Wire wire_;
  SystemClock machine_clock_{};
  std::optional<volumes::Machine> machine_{};
  std::unique_ptr<control::Runtime> runtime_{};
  std::vector<std::shared_ptr<net::BodyStream>> streams_{};
};

}  // namespace holdfast::suite
