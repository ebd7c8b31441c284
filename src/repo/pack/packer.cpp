#include "pack/packer.h"

#include "hash/sha256.h"
#include "open/opened.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

constexpr size_t kRoom = size_t{10} << 20;
/// All blobs of a pack are in one index file, which is to be no larger than restic's are, and is
/// held in memory to be written.
constexpr size_t kMostBlobs = 50'000;
static_assert(kMostBlobs * 41 + 64 < kMostHeader);

void append_u32(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += char(value >> shift & 0xff);
}

}  // namespace

Packer::Packer(Opened& repository, Workshop& workshop, PackerSettings settings,
               std::function<void(const IndexedPack&)> stored)
    : repository_(repository),
      workshop_(workshop),
      settings_(settings),
      stored_(std::move(stored)) {
  for (int i = 0; i < settings_.uploads; ++i)
    threads_.emplace_back([this] { upload_until_stopped(); });
}

Packer::~Packer() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

void Packer::close(Open& open) {
  closed_.push_back(std::move(open));
  open = Open();
  // Packs are large and all of a size: their memory goes round.
  if (!idle_.empty()) {
    open.bytes = std::move(idle_.back());
    idle_.pop_back();
    open.bytes.clear();
  }
  changed_.notify_all();
}

Result<void> Packer::add(const SealedBlob& blob) {
  const Lock lock(mutex_);
  if (failed_) return failed_->copy();
  Open& open = open_[size_t(blob.entry.type)];
  // Room for the largest chunk at the end: what is never written to costs nothing.
  if (open.bytes.capacity() < settings_.pack_size) open.bytes.reserve(settings_.pack_size + kRoom);
  open.blobs.push_back(blob.entry);
  open.blobs.back().offset = uint32_t(open.bytes.size());
  open.bytes += blob.bytes;
  if (open.bytes.size() >= settings_.pack_size || open.blobs.size() >= kMostBlobs) close(open);
  const bool crowded = closed_.size() + size_t(busy_) > size_t(settings_.uploads);
  if (crowded && pressure_ < kMostPressure) ++pressure_;
  while (closed_.size() + size_t(busy_) > size_t(settings_.uploads) && !failed_)
    changed_.wait(mutex_);
  return ok();
}

Result<void> Packer::finish() {
  const Lock lock(mutex_);
  for (Open& open : open_)
    if (!open.blobs.empty()) close(open);
  while ((!closed_.empty() || busy_ > 0) && !failed_) changed_.wait(mutex_);
  if (failed_) return failed_->copy();
  return ok();
}

uint64_t Packer::bytes_stored() const {
  const Lock lock(mutex_);
  return stored_bytes_;
}

void Packer::upload_until_stopped() {
  for (;;) {
    Open pack;
    {
      const Lock lock(mutex_);
      // An upload that finds nothing to do: the packs are made slower than they are sent.
      if (closed_.empty() && pressure_ > 0) --pressure_;
      while (closed_.empty() && !stopping_) changed_.wait(mutex_);
      if (closed_.empty() || failed_) return;
      pack = std::move(closed_.front());
      closed_.pop_front();
      ++busy_;
    }
    changed_.notify_all();
    Result<void> sent = upload(pack);
    {
      const Lock lock(mutex_);
      --busy_;
      if (idle_.empty()) idle_.push_back(std::move(pack.bytes));
      if (!sent && !failed_) failed_ = sent.take_error();
    }
    changed_.notify_all();
  }
}

Result<void> Packer::upload(Open& pack) {
  const std::string header = encode_header(pack.blobs);
  const std::string iv = repository_.surroundings().random.bytes(kIvSize);
  const size_t at = pack.bytes.size();
  pack.bytes.resize(at + header.size() + kSealOverhead);
  workshop_.lend()->sealer.seal(header, iv, pack.bytes.data() + at);
  append_u32(pack.bytes, uint32_t(header.size() + kSealOverhead));
  const Id id = hash(pack.bytes);
  Result<void> written =
      repository_.store().put(place_of(FileType::Pack, id), pack.bytes, {.sha256 = id.raw()});
  if (!written) return written.take_error().with_context(fmt::format("write pack {}", id.hex()));
  {
    const Lock lock(mutex_);
    stored_bytes_ += pack.bytes.size();
  }
  stored_({id, std::move(pack.blobs), ""});
  return ok();
}

}  // namespace holdfast::repo
