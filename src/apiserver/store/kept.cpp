#include "store/kept.h"

#include <charconv>
#include <cstring>

namespace holdfast::apiserver::storage {
namespace {

// A member added to Meta must be packed too, or it would be lost at the next start.
static_assert(sizeof(model::Meta) ==
              5 * sizeof(std::string) + sizeof(int64_t) + 3 * sizeof(std::vector<int>));

std::string_view print(Revision revision, char (&digits)[24]) {
  const auto end = std::to_chars(digits, digits + sizeof digits, revision).ptr;
  return {digits, static_cast<size_t>(end - digits)};
}

void put_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

/// Reads what put_number and put_text wrote; `bad` once and for all when the bytes end too early.
struct Reader {
  std::string_view rest;
  bool bad = false;

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    bad = true;
    return 0;
  }
  std::string text() {
    const uint64_t size = number();
    if (bad || size > rest.size()) {
      bad = true;
      return {};
    }
    std::string value(rest.substr(0, size));
    rest.remove_prefix(size);
    return value;
  }
  /// A member takes at least a byte, which bounds what a damaged count can make us reserve.
  uint64_t count() {
    const uint64_t value = number();
    if (value > rest.size()) bad = true;
    return bad ? 0 : value;
  }
};

}  // namespace

StoredPtr make_kept(const Key& key, Revision revision, Revision created, int64_t wall_us,
                    Draft draft) {
  char digits[24];
  const std::string_view version = print(revision, digits);
  auto kept = std::make_shared<Kept>();
  kept->text.reserve(draft.before_version.size() + version.size() + draft.after_version.size());
  kept->text.append(draft.before_version).append(version).append(draft.after_version);
  kept->version_at = draft.before_version.size();
  kept->revision = revision;
  kept->created = created;
  kept->meta = std::move(draft.meta);
  kept->meta.ns = key.ns;
  kept->meta.name = key.name;
  kept->meta.resource_version.clear();
  kept->wall_us = wall_us;
  return kept;
}

StoredPtr restamp(const Stored& last, Revision revision, int64_t wall_us) {
  char old_digits[24], digits[24];
  const size_t old_size = print(last.revision, old_digits).size();
  const std::string_view version = print(revision, digits);
  auto kept = std::make_shared<Kept>();
  kept->version_at = version_at(last);
  kept->text.reserve(last.text.size() - old_size + version.size());
  kept->text.append(last.text, 0, kept->version_at).append(version);
  kept->text.append(last.text, kept->version_at + old_size);
  kept->revision = revision;
  kept->created = last.created;
  kept->meta = last.meta;
  kept->wall_us = wall_us;
  return kept;
}

size_t version_at(const Stored& stored) { return static_cast<const Kept&>(stored).version_at; }

std::string pack(const model::Meta& meta) {
  std::string out;
  put_text(out, meta.uid);
  put_text(out, meta.deletion_timestamp);
  put_number(out, static_cast<uint64_t>(meta.generation));
  put_number(out, meta.labels.size());
  for (const auto& [key, value] : meta.labels) {
    put_text(out, key);
    put_text(out, value);
  }
  put_number(out, meta.finalizers.size());
  for (const auto& finalizer : meta.finalizers) put_text(out, finalizer);
  put_number(out, meta.owners.size());
  for (const auto& owner : meta.owners) {
    put_text(out, owner.api_version);
    put_text(out, owner.kind);
    put_text(out, owner.name);
    put_text(out, owner.uid);
    put_number(out, (owner.controller ? 1u : 0u) | (owner.block_owner_deletion ? 2u : 0u));
  }
  return out;
}

bool unpack(std::string_view bytes, model::Meta& meta) {
  Reader in{bytes};
  meta.uid = in.text();
  meta.deletion_timestamp = in.text();
  meta.generation = static_cast<int64_t>(in.number());
  meta.labels.resize(in.count());
  for (auto& [key, value] : meta.labels) {
    key = in.text();
    value = in.text();
  }
  meta.finalizers.resize(in.count());
  for (auto& finalizer : meta.finalizers) finalizer = in.text();
  meta.owners.resize(in.count());
  for (auto& owner : meta.owners) {
    owner.api_version = in.text();
    owner.kind = in.text();
    owner.name = in.text();
    owner.uid = in.text();
    const uint64_t flags = in.number();
    owner.controller = flags & 1;
    owner.block_owner_deletion = flags & 2;
  }
  return !in.bad && in.rest.empty();
}

void Sum::mix(uint64_t word) {
  state_ = (state_ ^ word) * 0xff51afd7ed558ccd;
  state_ ^= state_ >> 32;
}

Sum& Sum::add(std::string_view text) {
  mix(text.size());
  uint64_t word = 0;
  for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    mix(word);
  }
  word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  mix(word);
  return *this;
}

Sum& Sum::add(int64_t number) {
  mix(static_cast<uint64_t>(number));
  return *this;
}

int64_t Sum::value() const { return static_cast<int64_t>(state_); }

}  // namespace holdfast::apiserver::storage
