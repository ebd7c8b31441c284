#include <holdfast/base/files.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/credentials.h>

#include "s3/profiles.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace holdfast::blob {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a folder of credential files";

/// Changes when a file is replaced or written.
struct Stamp {
  uint64_t device = 0, inode = 0;
  int64_t seconds = 0, nanoseconds = 0, size = -1;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {uint64_t(info.st_dev), uint64_t(info.st_ino), info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
          info.st_size};
}

/// Files as they were just before they were read.
struct Seen {
  std::vector<std::pair<fs::path, Stamp>> files{};

  void look(const fs::path& path) { files.emplace_back(path, stamp_of(path)); }
  bool unchanged() const {
    return std::all_of(files.begin(), files.end(),
                       [](const auto& file) { return stamp_of(file.first) == file.second; });
  }
};

/// A key from files, read again when one of them has changed.
class FileKey {
 public:
  using Read = std::function<Result<S3Key>(Seen& seen)>;
  explicit FileKey(Read read) : read_(std::move(read)) {}

  Result<S3Key> get() {
    const Lock lock(mutex_);
    if (key_ && seen_.unchanged()) return *key_;
    Seen seen;
    S3Key key = HF_TRY(read_(seen));
    key_ = key;
    seen_ = std::move(seen);
    return key;
  }

 private:
  const Read read_;
  Mutex mutex_;
  std::optional<S3Key> key_ HF_GUARDED_BY(mutex_);
  Seen seen_ HF_GUARDED_BY(mutex_);
};

/// "AWS_ACCESS_KEY_ID", "access-key-id" and "accessKey" are one name.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : to_lower(name))
    if (c != '_' && c != '-' && c != '.') out += c;
  if (out.starts_with("aws")) out.erase(0, 3);
  return out;
}

void take(S3Key& key, const std::string& name, std::string_view value) {
  if (name == "accesskeyid" || name == "accesskey") key.access_key = trim(value);
  if (name == "secretaccesskey" || name == "secretkey") key.secret_key = trim(value);
  if (name == "sessiontoken" || name == "token") key.session_token = trim(value);
}

S3Key key_of(const Profile& profile) {
  S3Key key;
  for (const auto& [name, value] : profile) take(key, plain_name(name), value);
  return key;
}

Result<S3Key> complete(S3Key key, const std::string& where) {
  if (!key.access_key.empty() && !key.secret_key.empty()) return key;
  const char* const missing = key.access_key.empty() ? "access key" : "secret key";
  return Error(Fault::Denied, fmt::format("{} has no {}", where, missing)).with_hint(kHint);
}

/// Whether an entry of a folder or a Secret has to do with keys; one in the shared file's form may
/// hold all of one.
struct EntryName {
  explicit EntryName(std::string_view name) : plain(plain_name(name)) {
    shared = plain == "credentials" || plain == "cloud";
    S3Key wanted;
    take(wanted, plain, "x");
    counts = shared || wanted != S3Key{};
  }
  std::string plain;
  bool shared = false, counts = false;
};

void take_entry(S3Key& key, const EntryName& name, const std::string& text,
                const std::string& profile) {
  if (!name.shared) take(key, name.plain, text);
  if (name.shared && key.access_key.empty()) key = key_of(read_profile(text, profile));
}

Result<S3Key> read_folder(const fs::path& folder, const std::string& profile, Seen& seen) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  if (code) {
    return Error(Fault::Denied,
                 fmt::format("credentials folder {}: {}", folder.string(), code.message()));
  }
  S3Key key;
  seen.look(folder);
  for (const fs::directory_entry& entry : entries) {
    const EntryName name(entry.path().filename().string());
    if (!name.counts) continue;
    seen.look(entry.path());
    const std::string text = HF_TRY(read_file(entry.path()));
    take_entry(key, name, text, profile);
  }
  return complete(std::move(key), fmt::format("credentials folder {}", folder.string()));
}

std::string variable(const CredentialSources& sources, const char* name) {
  const char* const value = sources.environment(name);
  return value == nullptr ? "" : value;
}

std::string profile_of(const CredentialSources& sources) {
  if (!sources.profile.empty()) return sources.profile;
  const std::string named = variable(sources, "AWS_PROFILE");
  return named.empty() ? "default" : named;
}

/// The shared files, credentials first.
std::vector<fs::path> shared_files(const CredentialSources& sources) {
  const fs::path folder = fs::path(variable(sources, "HOME")) / ".aws";
  const std::string credentials = variable(sources, "AWS_SHARED_CREDENTIALS_FILE");
  const std::string config = variable(sources, "AWS_CONFIG_FILE");
  return {credentials.empty() ? folder / "credentials" : fs::path(credentials),
          config.empty() ? folder / "config" : fs::path(config)};
}

Result<S3Key> read_shared(const std::vector<fs::path>& files, const std::string& profile,
                          Seen& seen) {
  std::string looked;
  for (const fs::path& file : files) {
    seen.look(file);
    looked += (looked.empty() ? "" : ", ") + file.string();
    const Result<std::string> text = read_file(file);
    if (!text && text.error().fault() != Fault::NotFound) return text.error().copy();
    if (!text) continue;
    S3Key key = key_of(read_profile(*text, profile));
    if (!key.access_key.empty() && !key.secret_key.empty()) return key;
  }
  return Error(Fault::Denied, fmt::format("no credentials for S3: none given, AWS_ACCESS_KEY_ID is "
                                          "not set, no keys of profile {} in {}",
                                          holdfast::quoted(profile), looked))
      .with_hint(kHint);
}

Credentials constant(S3Key key) {
  return [key = std::move(key)]() -> Result<S3Key> { return key; };
}

Result<Credentials> watched(FileKey::Read read) {
  const auto key = std::make_shared<FileKey>(std::move(read));
  HF_TRY(key->get());
  return Credentials([key] { return key->get(); });
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> const char* {
    return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes it
  };
}

Result<Credentials> find_credentials(const CredentialSources& sources) {
  const std::string profile = profile_of(sources);
  if (sources.given != S3Key{}) {
    S3Key key = HF_TRY(complete(sources.given, "the key pair given for S3"));
    return constant(std::move(key));
  }
  if (!sources.folder.empty()) {
    return watched([folder = sources.folder, profile](Seen& seen) {
      return read_folder(folder, profile, seen);
    });
  }
  const S3Key set{variable(sources, "AWS_ACCESS_KEY_ID"),
                  variable(sources, "AWS_SECRET_ACCESS_KEY"),
                  variable(sources, "AWS_SESSION_TOKEN")};
  if (!set.access_key.empty() || !set.secret_key.empty()) {
    S3Key key = HF_TRY(complete(set, "the environment (AWS_ACCESS_KEY_ID, …)"));
    return constant(std::move(key));
  }
  return watched([files = shared_files(sources), profile](Seen& seen) {
    return read_shared(files, profile, seen);
  });
}

Result<S3Key> key_in(const std::map<std::string, std::string>& entries,
                     const std::string& profile) {
  S3Key key;
  for (const auto& [entry, text] : entries)
    if (const EntryName name(entry); name.counts) take_entry(key, name, text, profile);
  return complete(std::move(key), "it");
}

std::string find_region(const CredentialSources& sources) {
  for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION"})
    if (std::string value = variable(sources, name); !value.empty()) return value;
  if (!sources.folder.empty()) {
    for (const char* name : {"region", "AWS_REGION", "AWS_DEFAULT_REGION"})
      if (const auto text = read_file(sources.folder / name)) return std::string(trim(*text));
  }
  for (const fs::path& file : shared_files(sources)) {
    const Result<std::string> text = read_file(file);
    if (!text) continue;
    const Profile profile = read_profile(*text, profile_of(sources));
    if (const auto found = profile.find("region"); found != profile.end()) return found->second;
  }
  return "";
}

}  // namespace holdfast::blob
