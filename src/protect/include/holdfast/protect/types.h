/// BackupLocation, and the references that the kinds of holdfast.dev/v1alpha1 share.
#pragma once

#include <holdfast/model/fields.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// An object by name; without a namespace, in the namespace of who refers to it.
struct Reference {
  std::string name{}, ns{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the object");
    v.optional("namespace", ns,
               "namespace of the object; empty: this one; a location elsewhere must list this one "
               "in allowedNamespaces");
  }
};

struct SecretName {
  std::string name{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of a Secret of the same namespace");
  }
};

struct SecretKey {
  std::string name{}, key{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of a Secret of the same namespace");
    v.defaulted("key", key, "password", "entry of the Secret");
  }
};

/// Where backups go. Whoever may use the location may write there; what a namespace writes is
/// sealed with that namespace's own password.
struct BackupLocation {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "BackupLocation"};

  struct S3 {
    std::string endpoint{}, region{}, bucket{}, prefix{}, ca_bundle{};
    bool force_path_style = false;
    template <class V>
    void fields(V& v) {
      v.optional("endpoint", endpoint, "URL of the service; empty: AWS of the region");
      v.optional("region", region, "region that requests are signed for");
      v.required("bucket", bucket, "name of the bucket; it must exist", {.min_length = 1});
      v.optional("prefix", prefix, "prefix of all names in the bucket");
      v.defaulted(
          "forcePathStyle", force_path_style, false,
          "path-style requests: the bucket in the path of the URL instead of the host name");
      v.optional("caBundle", ca_bundle, "PEM certificates to trust besides the system's");
    }
  };
  struct File {
    std::string path{};
    template <class V>
    void fields(V& v) {
      v.required("path", path, "absolute path of a folder of the node", {.pattern = "^/"});
    }
  };
  struct Limits {
    int64_t moves = 16, per_namespace = 4;
    template <class V>
    void fields(V& v) {
      v.defaulted("moves", moves, 16,
                  "movers at work for other namespaces; as many again for the location's own "
                  "namespace and administrators",
                  {.minimum = 1});
      v.defaulted("movesPerNamespace", per_namespace, 4, "movers at work in one repository",
                  {.minimum = 1});
    }
  };
  struct Spec {
    std::optional<S3> s3{};
    std::optional<File> file{};
    std::optional<SecretName> credential{};
    std::optional<SecretKey> password{};
    bool is_default = false, read_only = false;
    std::vector<std::string> allowed_namespaces{}, allow_forget{};
    std::string minimum_retention{};
    std::optional<Limits> limits{};
    template <class V>
    void fields(V& v) {
      v.optional("s3", s3, "bucket of an S3 service; exactly one of s3 and file");
      v.optional("file", file, "folder on one machine; for admins only");
      v.optional("credential", credential, "Secret with the access key");
      v.optional("password", password, "Secret with the password of the repositories");
      v.defaulted("default", is_default, false, "true: used by objects that name no location");
      v.defaulted("readOnly", read_only, false,
                  "true: for restores only; nothing is written or removed");
      v.optional("allowedNamespaces", allowed_namespaces,
                 "other namespaces that may use the location; * is all");
      v.optional("allowForget", allow_forget,
                 "other namespaces that may have snapshots forgotten; * is all that may use it");
      v.optional("minimumRetention", minimum_retention,
                 "age below which no snapshot is forgotten: 30d, 1y6m; a month counts 31 days",
                 {.pattern = "^([0-9]+[ymdh])*$"});
      v.optional("limits", limits, "limits of the movers at work");
    }
  } spec{};

  enum class Phase { Available, Unavailable };
  struct Status {
    std::optional<Phase> phase{};
    std::string last_checked{}, secret_versions{}, marker{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "summary of the conditions, for display");
      v.optional("lastChecked", last_checked, "time of the last check", {.format = "date-time"});
      v.optional("secretVersions", secret_versions,
                 "resourceVersions of its Secrets at the last check");
      v.optional("marker", marker,
                 "id in the file holdfast-location of the folder, by which it is known again");
      v.optional("conditions", conditions, "conditions of the location");
    }
  } status{};
};

constexpr auto words(BackupLocation::Phase) {
  return std::array{std::pair{BackupLocation::Phase::Available, "Available"},
                    std::pair{BackupLocation::Phase::Unavailable, "Unavailable"}};
}

}  // namespace holdfast::protect
