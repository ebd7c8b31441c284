// What goes to a mover and comes back from it, as text.
#include <holdfast/base/bytes.h>
#include <holdfast/protect/mover.h>

namespace holdfast::protect {
namespace {

template <class T>
std::string text_of(const T& record) {
  model::Value whole = model::Object();
  model::field_types::encode_part(whole, "spec", model::field_type<T>(), &record);
  return model::to_json(*model::find(whole, {"spec"}));
}

template <class T>
Result<T> parse(std::string_view json) {
  model::Parsed parsed = HF_TRY(model::parse_json(json));
  const model::Value whole = model::Object{{"spec", std::move(parsed.value)}};
  T record;
  HF_TRY(model::field_types::decode_part(whole, "spec", model::field_type<T>(), &record));
  return record;
}

constexpr size_t kBlock = 64;  // of SHA-256

std::string hmac(std::string key, std::string_view text) {
  if (key.size() > kBlock) key = sha256(key);
  key.resize(kBlock, '\0');
  std::string inner = key, outer = key;
  for (char& c : inner) c = char(c ^ 0x36);
  for (char& c : outer) c = char(c ^ 0x5c);
  return sha256(outer + sha256(inner + std::string(text)));
}

}  // namespace

std::string to_text(const MoveTask& task) { return text_of(task); }
Result<MoveTask> parse_move_task(std::string_view json) { return parse<MoveTask>(json); }
std::string to_text(const MoveReport& report) { return text_of(report); }
Result<MoveReport> parse_move_report(std::string_view json) { return parse<MoveReport>(json); }

std::string derived_password(std::string_view location_password, std::string_view ns) {
  return hex(hmac(std::string(location_password), "holdfast.dev/repository/" + std::string(ns)));
}

}  // namespace holdfast::protect
