#include "hash/sha256.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/result.h>

#include "hash/sha_instructions.h"

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

namespace holdfast::repo {
namespace {

constexpr size_t kBlock = 64;

/// The longest first, so that no lane is left alone with a long one at the end.
void hash_in_lanes(sha_instructions::Midway* running, std::string_view piece,
                   std::span<const std::string_view> buffers, std::span<Id> ids) {
  std::vector<const std::string_view*> order;
  order.reserve(buffers.size());
  for (const std::string_view& buffer : buffers) order.push_back(&buffer);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->size() > b->size(); });
  std::vector<Id*> places;
  places.reserve(order.size());
  for (const std::string_view* buffer : order)
    places.push_back(&ids[size_t(buffer - buffers.data())]);
  sha_instructions::hash_all(running, piece, order, places);
}

}  // namespace

void hash_all_portably(std::span<const std::string_view> buffers, std::span<Id> ids) {
  for (size_t i = 0; i < buffers.size(); ++i) ids[i] = Id::from_raw(sha256(buffers[i]));
}

void hash_all(std::span<const std::string_view> buffers, std::span<Id> ids) {
  if (!has_sha_instructions()) return hash_all_portably(buffers, ids);
  hash_in_lanes(nullptr, {}, buffers, ids);
}

Id hash(std::string_view bytes) {
  Id id;
  hash_all({&bytes, 1}, {&id, 1});
  return id;
}

struct RunningHash::State {
  sha_instructions::Midway midway{};
  std::string rest{};  ///< less than a block, which waits for more
  uint64_t size = 0;
  EVP_MD_CTX* portable = nullptr;
};

RunningHash::RunningHash() : state_(std::make_unique<State>()) {
  if (has_sha_instructions()) {
    state_->midway = sha_instructions::begin();
    return;
  }
  state_->portable = EVP_MD_CTX_new();
  HF_CHECK(EVP_DigestInit_ex(state_->portable, EVP_sha256(), nullptr) == 1);
}

RunningHash::~RunningHash() { EVP_MD_CTX_free(state_->portable); }

void RunningHash::feed(std::string_view piece, std::span<const std::string_view> buffers,
                       std::span<Id> ids) {
  State& s = *state_;
  s.size += piece.size();
  if (s.portable != nullptr) {
    HF_CHECK(EVP_DigestUpdate(s.portable, piece.data(), piece.size()) == 1);
    return hash_all_portably(buffers, ids);
  }
  if (!s.rest.empty()) {
    const size_t fill = std::min(kBlock - s.rest.size(), piece.size());
    s.rest += piece.substr(0, fill);
    piece.remove_prefix(fill);
    if (s.rest.size() == kBlock) {
      hash_in_lanes(&s.midway, s.rest, {}, {});
      s.rest.clear();
    }
  }
  const size_t whole = piece.size() / kBlock * kBlock;
  hash_in_lanes(&s.midway, piece.substr(0, whole), buffers, ids);
  s.rest += piece.substr(whole);
}

Id RunningHash::finish() {
  State& s = *state_;
  Id id;
  if (s.portable == nullptr) {
    sha_instructions::finish(s.midway, s.rest, s.size, id);
    return id;
  }
  unsigned size = 0;
  HF_CHECK(EVP_DigestFinal_ex(s.portable, id.bytes.data(), &size) == 1 && size == 32);
  return id;
}

}  // namespace holdfast::repo
