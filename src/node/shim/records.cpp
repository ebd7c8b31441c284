#include "shim/records.h"

#include <holdfast/base/files.h>
#include <holdfast/model/field_text.h>

namespace holdfast::node {
namespace {

template <class T>
Result<T> read(const std::filesystem::path& file) {
  const std::string text = HF_TRY(read_file(file));
  Result<T> record = model::fields_from_json<T>(text);
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
Result<ProcessSpec> parse_process_spec(std::string_view json) {
  return model::fields_from_json<ProcessSpec>(json);
}
Result<ContainerRecord> parse_container_record(std::string_view json) {
  return model::fields_from_json<ContainerRecord>(json);
}

Result<void> write_record(const std::filesystem::path& file, const Sandbox& sandbox) {
  return write_file(file, model::fields_to_json(sandbox), kMode);
}
Result<void> write_record(const std::filesystem::path& file, const ContainerSpec& spec) {
  return write_file(file, model::fields_to_json(spec), kMode);
}
Result<void> write_record(const std::filesystem::path& file, const ContainerRecord& record) {
  return write_file(file, model::fields_to_json(record), kMode);
}
std::string to_text(const ProcessSpec& spec) { return model::fields_to_json(spec); }
std::string to_text(const ContainerRecord& record) { return model::fields_to_json(record); }

}  // namespace holdfast::node
