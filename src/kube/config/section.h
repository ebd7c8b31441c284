/// One mapping of a kubeconfig, read member by member. Every failure names the file and the member
/// and never says what stood there: it may have been a secret.
#pragma once

#include <holdfast/kube/config.h>
#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::kube {

class Section {
 public:
  /// `path` is where it stands: "users[2].user". Both must outlive the section.
  Section(const ConfigText& file, std::string path, const model::Value& value)
      : file_(&file), path_(std::move(path)), value_(&value) {}

  const ConfigText& file() const { return *file_; }
  const model::Value& value() const { return *value_; }
  const std::string& path() const { return path_; }

  /// Absent and null are the same: "", false, nothing.
  Result<std::string> text(std::string_view name) const;
  Result<bool> flag(std::string_view name) const;
  Result<std::vector<std::string>> texts(std::string_view name) const;
  /// The bytes behind base64 text.
  Result<std::string> bytes(std::string_view name) const;
  /// Relative paths are of the folder of the file.
  Result<std::filesystem::path> path_member(std::string_view name) const;
  /// The mappings of a list.
  Result<std::vector<Section>> list(std::string_view name) const;
  /// The mapping there; an empty one if it is absent.
  Result<Section> section(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// "FILE: users[2].user.token: WHAT"
  Error wrong(std::string_view name, std::string_view what) const;

 private:
  const model::Value* find(std::string_view name) const;
  Error not_a(std::string_view wanted, std::string_view name, const model::Value& is) const;

  const ConfigText* file_;
  std::string path_;
  const model::Value* value_;
};

}  // namespace holdfast::kube
