#include "open/key_file.h"

#include <holdfast/base/bytes.h>

#include "codec/go_json.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

#include <cstring>

namespace holdfast::repo {
namespace {

/// What a guess at the password costs: 32 MiB and about a tenth of a second.
constexpr ScryptCost kCost{32768, 8, 4};
constexpr size_t kSaltSize = 64;

Result<std::string> read_base64(JsonValue value, std::string_view what) {
  const std::string text = HF_TRY(value.text());
  const std::optional<std::string> raw = from_base64(text);
  if (!raw) return Error(Fault::Corrupt, fmt::format("{} is no base64", what));
  return *raw;
}

template <size_t size>
Result<void> read_key(JsonValue value, std::string_view what, std::array<uint8_t, size>& out) {
  const std::string raw = HF_TRY(read_base64(value, what));
  if (raw.size() != size)
    return Error(Fault::Corrupt, fmt::format("{} has {} bytes, not {}", what, raw.size(), size));
  std::memcpy(out.data(), raw.data(), size);
  return ok();
}

Result<MasterKey> parse_master_key(std::string_view json) {
  MasterKey key;
  HF_TRY(read_json(json, [&key](JsonValue root) {
    return root.members([&key](std::string_view name, JsonValue value) -> Result<void> {
      if (name == "encrypt") return read_key(value, "encrypt", key.encrypt);
      if (name != "mac") return ok();
      return value.members([&key](std::string_view part, JsonValue inner) -> Result<void> {
        if (part == "k") return read_key(inner, "mac.k", key.mac_k);
        if (part == "r") return read_key(inner, "mac.r", key.mac_r);
        return ok();
      });
    });
  }));
  return key;
}

template <size_t size>
std::string base64_of(const std::array<uint8_t, size>& bytes) {
  return base64({reinterpret_cast<const char*>(bytes.data()), size});
}

std::string to_json(const MasterKey& key) {
  return fmt::format(R"({{"mac":{{"k":"{}","r":"{}"}},"encrypt":"{}"}})", base64_of(key.mac_k),
                     base64_of(key.mac_r), base64_of(key.encrypt));
}

Result<void> read_member(std::string_view name, JsonValue value, KeyFile& file) {
  const auto number = [&value](auto& into) -> Result<void> {
    const uint64_t read = HF_TRY(value.number());
    into = std::remove_reference_t<decltype(into)>(read);
    return ok();
  };
  const auto text = [&value](std::string& into) -> Result<void> {
    into = HF_TRY(value.text());
    return ok();
  };
  if (name == "created") return text(file.created);
  if (name == "username") return text(file.user);
  if (name == "hostname") return text(file.host);
  if (name == "N") return number(file.cost.n);
  if (name == "r") return number(file.cost.r);
  if (name == "p") return number(file.cost.p);
  if (name == "salt") file.salt = HF_TRY(read_base64(value, "salt"));
  if (name == "data") file.data = HF_TRY(read_base64(value, "data"));
  if (name != "kdf") return ok();
  const std::string kdf = HF_TRY(value.text());
  if (kdf != "scrypt") return Error(Fault::Invalid, fmt::format("kdf \"{}\" is not known", kdf));
  return ok();
}

}  // namespace

Result<KeyFile> parse_key_file(std::string_view json) {
  KeyFile file;
  HF_TRY(read_json(json, [&file](JsonValue root) {
    return root.members(
        [&file](std::string_view name, JsonValue value) { return read_member(name, value, file); });
  }));
  if (file.salt.empty() || file.data.empty())
    return Error(Fault::Corrupt, "a key file without salt or data");
  return file;
}

std::string to_json(const KeyFile& file) {
  std::string out = "{\"created\":";
  append_string(out, file.created);
  out += ",\"username\":";
  append_string(out, file.user);
  out += ",\"hostname\":";
  append_string(out, file.host);
  out += fmt::format(R"(,"kdf":"scrypt","N":{},"r":{},"p":{},"salt":"{}","data":"{}"}})",
                     file.cost.n, file.cost.r, file.cost.p, base64(file.salt), base64(file.data));
  return out;
}

Result<MasterKey> open_key_file(const KeyFile& file, std::string_view password) {
  const MasterKey user_key = HF_TRY(derive_key(password, file.salt, file.cost));
  const Result<std::string> plain = Sealer(user_key).open(file.data);
  if (!plain) return Error(Fault::Denied, "the password does not open this key");
  return parse_master_key(*plain);
}

Result<KeyFile> make_key_file(const MasterKey& key, std::string_view password,
                              const Surroundings& surroundings) {
  KeyFile file;
  const auto now = surroundings.clock.now().time_since_epoch().count();
  append_time(file.created, {now / 1'000'000, int32_t(now % 1'000'000) * 1000, 0});
  file.user = surroundings.user;
  file.host = surroundings.host;
  file.cost = kCost;
  file.salt = surroundings.random.bytes(kSaltSize);
  const MasterKey user_key = HF_TRY(derive_key(password, file.salt, file.cost));
  const std::string plain = to_json(key);
  file.data.resize(plain.size() + kSealOverhead);
  Sealer(user_key).seal(plain, surroundings.random.bytes(kIvSize), file.data.data());
  return file;
}

MasterKey make_master_key(Random& random) {
  MasterKey key;
  const std::string chance = random.bytes(64);
  std::memcpy(key.encrypt.data(), chance.data(), 32);
  std::memcpy(key.mac_k.data(), chance.data() + 32, 16);
  std::memcpy(key.mac_r.data(), chance.data() + 48, 16);
  return key;
}

}  // namespace holdfast::repo
