// One window: what is there already is compared, then packs are read and their blobs written.
#include "files/input.h"
#include "hash/sha256.h"
#include "open/opened.h"
#include "pack/blob_codec.h"
#include "restore/restored_image.h"
#include "restore/restorer.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Sealed bytes that are read at once; gaps are read through up to this.
constexpr uint64_t kRun = uint64_t{4} << 20, kGap = uint64_t{128} << 10;
/// Files that one task prepares.
constexpr size_t kTogether = 32;

uint64_t plain_size(const Piece& piece) {
  return piece.plain_length != 0 ? piece.plain_length : piece.length - kSealOverhead;
}

/// Each byte equals the next, and the first is zero.
bool is_zero(std::string_view bytes) {
  return bytes.empty() ||
         (bytes.front() == '\0' && bytes.substr(1) == bytes.substr(0, bytes.size() - 1));
}

Restoring done_to(const RestoredFile& file) {
  if (file.same) return Restoring::Unchanged;
  return file.may_exist ? Restoring::Updated : Restoring::Restored;
}

}  // namespace

void Restorer::for_all(size_t count, size_t each, const std::function<void(size_t, Hands&)>& work) {
  for (size_t first = 0; first < count; first += each) {
    {
      const Lock lock(mutex_);
      ++running_;
    }
    crew_.give([this, first, last = std::min(first + each, count), &work](Hands& hands) {
      for (size_t i = first; i < last && !over(); ++i) work(i, hands);
      const Lock lock(mutex_);
      if (--running_ == 0) changed_.notify_all();
    });
  }
  const Lock lock(mutex_);
  while (running_ > 0) changed_.wait(mutex_);
}

Result<void> Restorer::run_window() {
  const auto& files = window_.files;
  // Before pieces are dropped that need not be written.
  const std::vector<Piece> all = options_.verify ? window_.pieces : std::vector<Piece>();
  for_all(files.size(), kTogether, [&](size_t i, Hands& hands) { prepare(*files[i], hands); });
  if (!options_.dry_run) run_packs();
  if (options_.verify && !options_.dry_run)
    for_all(files.size(), kTogether,
            [&](size_t i, Hands& hands) { verify(*files[i], all, hands); });
  window_ = {};
  return go_on();
}

/// Files that are there are compared; files of several pieces are made, so that pieces can be
/// written in any order.
void Restorer::prepare(RestoredFile& file, Hands& hands) {
  if (file.image) return prepare_segment(file, hands);
  if (file.may_exist) {
    const Result<struct stat> there = stat_of(file.path);
    file.may_exist = bool(there);
    if (there && S_ISREG(there->st_mode)) {
      if (keep_existing(file, *there)) return;
      compare(file, hands);
    }
  }
  if (!file.left_out.empty()) leave_out(file.path, file.left_out);
  file.same = file.may_exist && file.pending == 0 && file.pieces > 0;
  if (options_.dry_run) {
    ++figures_.files_restored;
    tell(done_to(file), file.path, file.node.size);
    return;
  }
  if (file.pieces == 1 && file.pending == 1 && !file.may_exist) return;
  Result<OutputFile> output = OutputFile::open(disk_, file.path);
  Result<void> sized =
      output ? output->set_size(file.node.size) : Result<void>(output.take_error());
  if (!sized) {
    report(file.path, sized.error());
    file.failed = true;
  }
  if (file.pending == 0) finish_file(file);
}

bool Restorer::leaves(const Node& node, const struct stat& there) const {
  using Overwrite = RestoreOptions::Overwrite;
  const bool same_time =
      there.st_mtim.tv_sec == node.mtime.seconds && there.st_mtim.tv_nsec == node.mtime.nanoseconds;
  const bool newer = std::pair(int64_t(there.st_mtim.tv_sec), int64_t(there.st_mtim.tv_nsec)) >=
                     std::pair(node.mtime.seconds, int64_t(node.mtime.nanoseconds));
  const bool same = options_.overwrite == Overwrite::IfChanged && same_time &&
                    uint64_t(there.st_size) == node.size;
  return options_.overwrite == Overwrite::Never || same ||
         (options_.overwrite == Overwrite::IfNewer && newer);
}

/// True: nothing is to be done to it.
bool Restorer::keep_existing(RestoredFile& file, const struct stat& there) {
  if (!leaves(file.node, there)) return false;
  for (size_t i = 0; i < file.pieces; ++i) window_.pieces[file.first_piece + i].length = 0;
  file.pending = 0;
  file.left = true;
  count_left(file.path, file.node.size);
  return true;
}

void Restorer::count_left(const std::string& path, uint64_t size) {
  ++figures_.files_unchanged;
  ++figures_.files_done;
  figures_.bytes_skipped += size;
  figures_.bytes_done += size;
  tell(Restoring::Unchanged, path, size);
}

/// Pieces that stand where they belong are not read from the repository.
void Restorer::compare(RestoredFile& file, Hands& hands) {
  Result<InputFile> input = InputFile::open(file.path);
  if (!input) return;
  input->seek(file.base);
  uint64_t skipped = 0;
  for (size_t i = 0; i < file.pieces; ++i) {
    Piece& piece = window_.pieces[file.first_piece + i];
    const uint64_t size = plain_size(piece);
    if (hands.buffer.size() < size) hands.buffer.resize(size);
    const Result<size_t> read = input->read(hands.buffer.data(), size);
    if (!read || *read < size) break;
    if (hash(std::string_view(hands.buffer).substr(0, size)) != piece.id) continue;
    piece.length = 0;
    --file.pending;
    skipped += size;
  }
  figures_.bytes_skipped += skipped;
  figures_.bytes_done += skipped;
}

void Restorer::run_packs() {
  std::vector<Piece>& pieces = window_.pieces;
  std::erase_if(pieces, [](const Piece& piece) { return piece.length == 0; });
  const auto& packs = window_.packs;
  std::sort(pieces.begin(), pieces.end(), [&packs](const Piece& a, const Piece& b) {
    return a.pack != b.pack && packs[a.pack] != packs[b.pack]
               ? packs[a.pack] < packs[b.pack]
               : std::tie(a.offset, a.file, a.at) < std::tie(b.offset, b.file, b.at);
  });
  std::vector<size_t> begins;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (i == 0 || packs[pieces[i].pack] != packs[pieces[i - 1].pack]) begins.push_back(i);
  begins.push_back(pieces.size());
  for_all(begins.size() - 1, 1,
          [&](size_t i, Hands& hands) { read_pack(begins[i], begins[i + 1], hands); });
}

/// The pieces that are read together: one blob, or what lies near it too. Their bytes end at `end`.
size_t Restorer::end_of_run(size_t first, size_t last, bool alone, uint64_t& end) const {
  const std::vector<Piece>& pieces = window_.pieces;
  const uint64_t begin = pieces[first].offset;
  end = begin + pieces[first].length;
  size_t next = first + 1;
  for (; next < last; ++next) {
    const uint64_t further = std::max(end, uint64_t(pieces[next].offset) + pieces[next].length);
    if (alone ? pieces[next].offset != begin
              : pieces[next].offset > end + kGap || further - begin > kRun)
      break;
    end = further;
  }
  return next;
}

void Restorer::read_pack(size_t first, size_t last, Hands& hands) {
  const std::vector<Piece>& pieces = window_.pieces;
  const std::string name = place_of(FileType::Pack, window_.packs[pieces[first].pack]);
  bool alone = false;
  while (first < last && !over()) {
    uint64_t end = 0;
    const size_t next = end_of_run(first, last, alone, end);
    const blob::Range range{pieces[first].offset, end - pieces[first].offset};
    Result<void> written = index_.repository().store().read(name, range, hands.sealed);
    // A pack that has lost its end still holds what lies before.
    if (!written && written.error().fault() == Fault::Corrupt && !alone) {
      alone = true;
      continue;
    }
    if (written) written = write_run(first, next, hands);
    for (size_t i = first; i < next && !written; ++i) {
      RestoredFile& file = *window_.files[pieces[i].file];
      if (!file.failed.exchange(true)) report(file.path, written.error());
      if (--file.pending == 0) finish_file(file);
    }
    first = next;
  }
}

/// The blobs of a run, hashed side by side. A blob that is wanted at many places, as that of zeros
/// is by a sparse image, is opened, hashed and looked at once.
std::vector<Restorer::OpenedBlob> Restorer::open_run(size_t first, size_t last, Hands& hands) {
  const std::vector<Piece>& pieces = window_.pieces;
  const std::string_view sealed = hands.sealed;
  std::vector<OpenedBlob> blobs;
  size_t end = 0;
  {
    Workshop::Lent bench = index_.workshop().lend();
    for (size_t i = first; i < last; ++i) {
      const Piece& piece = pieces[i];
      if (i > first && piece.offset == pieces[i - 1].offset) continue;
      Result<size_t> size = unpack_blob(
          *bench, piece.plain_length,
          sealed.substr(piece.offset - pieces[first].offset, piece.length), hands.buffer, end);
      OpenedBlob blob{.begin = end, .size = size ? *size : 0};
      if (!size) blob.broken = size.take_error();
      end += blob.size;
      blobs.push_back(std::move(blob));
    }
  }
  std::vector<std::string_view> plains;  // only now: the buffer moves while it grows
  plains.reserve(blobs.size());
  for (const OpenedBlob& blob : blobs)
    plains.push_back(std::string_view(hands.buffer).substr(blob.begin, blob.size));
  std::vector<Id> ids(blobs.size());
  hash_all(plains, ids);
  for (size_t at = 0; at < blobs.size(); ++at) {
    blobs[at].id = ids[at];
    blobs[at].zero = (options_.sparse || window_.images) && is_zero(plains[at]);
  }
  return blobs;
}

/// Writes those blobs of a run that are what they should be.
Result<void> Restorer::write_run(size_t first, size_t last, Hands& hands) {
  const std::vector<Piece>& pieces = window_.pieces;
  const std::vector<OpenedBlob> blobs = open_run(first, last, hands);
  size_t at = 0;
  for (size_t i = first; i < last; ++i) {
    if (i > first && pieces[i].offset != pieces[i - 1].offset) ++at;
    const OpenedBlob& blob = blobs[at];
    RestoredFile& file = *window_.files[pieces[i].file];
    if (!blob.broken && blob.id == pieces[i].id) {
      write_piece(pieces[i], std::string_view(hands.buffer).substr(blob.begin, blob.size),
                  blob.zero);
    } else if (!file.failed.exchange(true)) {
      Error error = blob.broken ? blob.broken->copy()
                                : Error(Fault::Corrupt, "its bytes are not those of its id");
      report(file.path, std::move(error).with_context(
                            fmt::format("blob {} at {} of pack {}", pieces[i].id.hex(),
                                        pieces[i].offset, window_.packs[pieces[i].pack].hex())));
    }
    if (--file.pending == 0) finish_file(file);
  }
  return ok();
}

void Restorer::write_piece(const Piece& piece, std::string_view plain, bool zero) {
  RestoredFile& file = *window_.files[piece.file];
  if (file.failed) return;
  // The file has its size already, so that what is not written is a hole; what a file held before
  // must be written over.
  const bool hole = zero && (file.image || (options_.sparse && file.pieces > 1));
  Result<void> written = hole && !file.may_exist ? ok() : write_bytes(file, piece.at, plain);
  if (!written) {
    file.failed = true;
    report(file.path, written.error());
    return;
  }
  figures_.bytes_done += plain.size();
  figures_.bytes_restored += plain.size();
}

Result<void> Restorer::write_bytes(RestoredFile& file, uint64_t at, std::string_view plain) {
  if (file.image) return file.image->output->write(plain, at);
  OutputFile output = HF_TRY(OutputFile::open(disk_, file.path));
  HF_TRY(output.write(plain, at));
  if (file.pieces != 1 || file.may_exist) return ok();
  ++figures_.files_restored;
  ++figures_.files_done;
  file.described = true;
  tell(Restoring::Restored, file.path, file.node.size);
  return output.describe(file.node, ownership_);
}

void Restorer::finish_file(RestoredFile& file) {
  if (file.image) {
    if (file.failed) file.image->failed = true;
    return image_done(*file.image);
  }
  if (file.failed || file.described) return;
  Result<OutputFile> output = OutputFile::open(disk_, file.path);
  Result<void> described =
      output ? output->describe(file.node, ownership_) : Result<void>(output.take_error());
  if (!described) report(file.path, described.error());
  ++figures_.files_restored;
  ++figures_.files_done;
  tell(done_to(file), file.path, file.node.size);
}

void Restorer::verify(const RestoredFile& file, const std::vector<Piece>& pieces, Hands& hands) {
  if (file.failed || file.left) return;
  Result<InputFile> input = InputFile::open(file.path);
  if (!input) return report(file.path, input.error());
  input->seek(file.base);
  for (size_t i = 0; i < file.pieces; ++i) {
    const Piece& piece = pieces[file.first_piece + i];
    const uint64_t size = plain_size(piece);
    if (hands.buffer.size() < size) hands.buffer.resize(size);
    const Result<size_t> read = input->read(hands.buffer.data(), size);
    if (!read) return report(file.path, read.error());
    if (hash(std::string_view(hands.buffer).substr(0, *read)) != piece.id)
      return report(file.path, Error(Fault::Corrupt, fmt::format("verify: the bytes at {} are not "
                                                                 "those of blob {}",
                                                                 piece.at, piece.id.hex())));
  }
  if (!file.image || ++file.image->verified == file.image->segments) ++figures_.files_verified;
}

}  // namespace holdfast::repo
