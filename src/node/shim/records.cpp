#include "shim/records.h"

#include <holdfast/base/files.h>
#include <holdfast/model/fields.h>

namespace holdfast::node {
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

template <class T>
Result<T> read(const std::filesystem::path& file) {
  const std::string text = HF_TRY(read_file(file));
  Result<T> record = parse<T>(text);
  if (record) return record;
  return record.take_error().with_context("read " + file.string());
}

// What runs in a pod, and with what in its environment, concerns nobody else on the machine.
constexpr mode_t kMode = 0600;

}  // namespace

Result<Sandbox> read_sandbox(const std::filesystem::path& file) { return read<Sandbox>(file); }
Result<ContainerSpec> read_container_spec(const std::filesystem::path& file) {
  return read<ContainerSpec>(file);
}
Result<ContainerRecord> read_container_record(const std::filesystem::path& file) {
  return read<ContainerRecord>(file);
}
Result<ProcessSpec> parse_process_spec(std::string_view json) { return parse<ProcessSpec>(json); }
Result<ContainerRecord> parse_container_record(std::string_view json) {
  return parse<ContainerRecord>(json);
}

Result<void> write_record(const std::filesystem::path& file, const Sandbox& sandbox) {
  return write_file(file, text_of(sandbox), kMode);
}
Result<void> write_record(const std::filesystem::path& file, const ContainerSpec& spec) {
  return write_file(file, text_of(spec), kMode);
}
Result<void> write_record(const std::filesystem::path& file, const ContainerRecord& record) {
  return write_file(file, text_of(record), kMode);
}
std::string to_text(const ProcessSpec& spec) { return text_of(spec); }
std::string to_text(const ContainerRecord& record) { return text_of(record); }

}  // namespace holdfast::node
