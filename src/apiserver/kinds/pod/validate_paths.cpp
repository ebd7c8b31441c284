/// Files that a volume shows: their paths, modes, and where their content comes from.
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "kinds/pod/pod.h"

#include <fmt/format.h>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr int64_t kMaxMode = 0777;
constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;

/// Paths that one projected volume has used so far.
class Paths {
 public:
  explicit Paths(const Place& volume) : volume_(volume) {}
  void add(std::string_view path, std::string_view shown) {
    if (!path.empty() && !seen_.emplace(path).second)
      volume_.invalid(Value(shown), "conflicting duplicate paths");
  }

 private:
  Place volume_;
  std::set<std::string, std::less<>> seen_;
};

void check_object_projection(const Place& source, Paths& paths) {
  source["name"].need();
  source["items"].each([&](const Place& item) {
    check_key_to_path(item);
    paths.add(item["path"].text(), source["name"].text());
  });
}

void check_token(const Place& token, const Place& volume) {
  const Place expiration = token["expirationSeconds"];
  if (expiration.number() < kMinTokenSeconds)
    expiration.invalid(Value(expiration.number()),
                       "may not specify a duration less than 10 minutes");
  if (expiration.number() > kMaxTokenSeconds)
    expiration.invalid("may not specify a duration larger than 2^32 seconds");
  const Place path = token["path"].as(model::child(volume.path(), "path"));
  if (path.need()) check_local_path(path);
}

}  // namespace

void check_no_backsteps(const Place& path) {
  for (std::string_view part : split(path.text(), '/'))
    if (part == "..") return path.invalid("must not contain '..'");
}

void check_relative_path(const Place& path) {
  if (path.text().starts_with('/')) path.invalid("must be a relative path");
  check_no_backsteps(path);
}

void check_local_path(const Place& path) {
  check_relative_path(path);
  if (path.text().starts_with("..") && !path.text().starts_with("../"))
    path.invalid("must not start with '..'");
}

void check_file_mode(const Place& mode) {
  if (mode.present() && (mode.number() < 0 || mode.number() > kMaxMode))
    mode.invalid("must be a number between 0 and 0777 (octal), both inclusive");
}

void check_key_to_path(const Place& item) {
  item["key"].need();
  item["path"].need();
  check_local_path(item["path"]);
  check_file_mode(item["mode"]);
}

void check_downward_file(const Place& file) {
  file["path"].need();
  check_local_path(file["path"]);
  if (file["fieldRef"].present()) {
    check_field_ref(file["fieldRef"], true);
    if (file["resourceFieldRef"].present())
      file.invalid(Value("resource"),
                   "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (file["resourceFieldRef"].present()) {
    check_resource_field_ref(file["resourceFieldRef"], true);
  } else {
    file.required("one of fieldRef and resourceFieldRef is required");
  }
  check_file_mode(file["mode"]);
}

void check_projected(const Place& projected) {
  check_file_mode(projected["defaultMode"]);
  Paths paths(projected);
  projected["sources"].each([&](const Place& source) {
    int count = 0;
    for (std::string_view name : {"secret", "configMap"}) {
      if (!source[name].present()) continue;
      ++count;
      check_object_projection(source[name], paths);
    }
    if (const Place downward = source["downwardAPI"]; downward.present()) {
      ++count;
      downward["items"].each([&](const Place& file) {
        check_downward_file(file.as(downward.path()));
        paths.add(file["path"].text(), file["path"].text());
      });
    }
    if (source["serviceAccountToken"].present()) {
      ++count;
      check_token(source["serviceAccountToken"], projected);
    }
    if (count > 1) source.forbidden("may not specify more than 1 volume type per source");
  });
}

}  // namespace holdfast::apiserver::pod
