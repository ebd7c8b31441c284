#include "repo/session.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/around.h>
#include <holdfast/blob/location.h>
#include <holdfast/cli/words.h>

#include "repo/password.h"
#include "repo/store_options.h"

#include <fmt/format.h>

namespace holdfast::cli {

Session::Session(const Settings& settings, Output& out, std::stop_token stop)
    : settings_(settings), out_(out), asked_(std::move(stop)) {
  on_asked_.emplace(asked_, [this] { stop_.request_stop(); });
}

Session::~Session() { release(); }

void Session::release() {
  on_lost_.reset();
  if (!lock_) return;
  const Result<void> released = lock_->release();
  if (!released) out_.warn(fmt::format("the lock stays: {}", released.error().what()));
  lock_.reset();
}

Result<std::string> Session::location() const {
  const Access& access = settings_.access;
  if (!access.repository.empty()) return access.repository;
  if (access.repository_file.empty())
    return Error(Fault::Invalid, "no repository is named")
        .with_hint("give --repo, --repository-file or RESTIC_REPOSITORY");
  Result<std::string> text = read_file(access.repository_file);
  if (!text) return text.take_error().with_context("read where the repository is");
  return std::string(trim(*text));
}

repo::Surroundings Session::surroundings() {
  const Identity self = identity();
  return {clock_, random_, host_name(), self.user, self.uid, self.gid, self.pid};
}

Result<uint64_t> Session::memory_limit() const {
  return parse_size("--memory-limit", settings_.memory_limit);
}

std::filesystem::path Session::cache_folder(const std::string& name) const {
  if (settings_.no_cache) return {};
  if (!settings_.cache_dir.empty()) return std::filesystem::path(settings_.cache_dir) / name;
  std::filesystem::path root = variable("XDG_CACHE_HOME");
  if (root.empty() && !variable("HOME").empty())
    root = std::filesystem::path(variable("HOME")) / ".cache";
  if (root.empty()) return {};
  return root / "holdfast" / "repo" / name;
}

Result<std::shared_ptr<blob::Store>> Session::open_store(bool create, Copies copies) {
  const std::string text = HF_TRY(location());
  const blob::Location place = HF_TRY(blob::parse_location(text));
  const blob::Waiting waiting{clock_, random_, sleep_until_stopped(), stop()};
  blob::OpenOptions options{create, waiting, {}, {}};
  options.s3 = HF_TRY(s3_options(settings_));
  options.retry.said = [this](const std::string& what) { out_.warn(what); };
  if (settings_.limit_upload != 0 || settings_.limit_download != 0) {
    auto limits = std::make_shared<blob::Limits>();
    limits->up_bytes_per_second = settings_.limit_upload * 1024;
    limits->down_bytes_per_second = settings_.limit_download * 1024;
    options.limits = std::move(limits);
  }
  Result<std::unique_ptr<blob::Store>> opened = blob::open_store(place, options);
  if (!opened) {
    if (opened.error().fault() == Fault::NotFound) code_ = kNoRepository;
    return opened.take_error();
  }
  std::unique_ptr<blob::Store> store = opened.take();
  // A folder needs no copy of itself.
  if (place.folder.empty() && copies == Copies::Used) {
    const auto folder = cache_folder(hex(sha256(store->text())).substr(0, 16));
    if (!folder.empty()) store = blob::cached(std::move(store), folder, {"index/", "snapshots/"});
  }
  return std::shared_ptr<blob::Store>(std::move(store));
}

Result<repo::Opened*> Session::open(LockKind kind, Copies copies) {
  std::shared_ptr<blob::Store> store = HF_TRY(open_store(false, copies));
  // Before anybody is asked for a password: is there something it could open?
  Result<void> there = repo::expect_repository(*store);
  if (!there) {
    if (there.error().fault() == Fault::NotFound) code_ = kNoRepository;
    return there.take_error();
  }
  const std::string password = HF_TRY(find_password(settings_.access, store->text()));
  Result<std::unique_ptr<repo::Opened>> opened =
      repo::open(store, password, surroundings(), settings_.access.key_hint);
  if (!opened) {
    if (opened.error().fault() == Fault::NotFound) code_ = kNoRepository;
    if (opened.error().fault() == Fault::Denied) code_ = kWrongPassword;
    return opened.take_error();
  }
  opened_ = opened.take();
  HF_TRY(lock(*opened_, kind));
  return opened_.get();
}

Result<repo::Indexed*> Session::open_index(LockKind kind) {
  HF_TRY(open(kind));
  repo::IndexOptions options;
  // Who only reads or adds can do without; who removes must know everything.
  if (kind != LockKind::Exclusive)
    options.damaged = [this](const repo::Id& id, const Error& error) {
      out_.warn(fmt::format("index {} is left out: {}; holdfast repo repair index mends it",
                            id.hex(), error.what()));
    };
  options.cache = cache_folder(opened_->config().id);
  options.said = [this](const std::string& what) { out_.warn(what); };
  indexed_ = HF_TRY(repo::load_index(std::move(opened_), options));
  return indexed_.get();
}

Result<repo::Opened*> Session::make(const repo::InitOptions& options) {
  std::shared_ptr<blob::Store> store = HF_TRY(open_store(true, Copies::Used));
  const std::string password = HF_TRY(find_new_password(settings_.access, store->text()));
  opened_ = HF_TRY(repo::init(store, password, options, surroundings()));
  return opened_.get();
}

Result<void> Session::lock(repo::Opened& repository, LockKind kind) {
  if (kind == LockKind::None || (kind == LockKind::Shared && settings_.no_lock)) return ok();
  repo::LockOptions options;
  options.exclusive = kind == LockKind::Exclusive;
  if (!settings_.retry_lock.empty())
    options.retry_for = HF_TRY(parse_duration("--retry-lock", settings_.retry_lock));
  Result<std::unique_ptr<repo::HeldLock>> taken = repo::take_lock(repository, options, stop());
  if (!taken) {
    Error error = taken.take_error();
    if (error.fault() == Fault::Conflict) code_ = kLocked;
    if (error.fault() != Fault::Denied || kind == LockKind::Exclusive) return error;
    return std::move(error).with_hint("who may only read can do so with --no-lock");
  }
  lock_ = taken.take();
  on_lost_.emplace(lock_->lost(), [this] { stop_.request_stop(); });
  return ok();
}

}  // namespace holdfast::cli
