// The built-in kinds, read from the table on first use.
#include <holdfast/model/kinds.h>

#include "kinds/table.h"

namespace holdfast::model {

namespace {
std::string key_of(std::string_view group, std::string_view version, std::string_view kind) {
  std::string key;
  key.reserve(group.size() + version.size() + kind.size() + 2);
  return key.append(group).append("/").append(version).append("/").append(kind);
}
}  // namespace

const Kinds& Kinds::builtin() {
  static const Kinds kinds;
  return kinds;
}

Kinds::Kinds() {
  auto read = TableReader(kinds_table(), arena_).read();
  HF_CHECK(read);
  for (TableReader::Kind& kind : *read) {
    by_gvk_[key_of(kind.group, kind.version, kind.kind)] = kinds_.size();
    kinds_.push_back(
        {{std::move(kind.group), std::move(kind.version), std::move(kind.kind)}, kind.shape});
    Schema& schema = schemas_.emplace_back();
    schema.type = Type::Object;
    schema.go = GoType::Struct;
    schema.shape = kind.shape;
  }
  for (const Shape& shape : arena_.shapes) shapes_[shape.name] = &shape;
}

const BuiltinKind* Kinds::find(const GroupVersionKind& gvk) const {
  auto at = by_gvk_.find(key_of(gvk.group, gvk.version, gvk.kind));
  return at == by_gvk_.end() ? nullptr : &kinds_[at->second];
}

const Schema* Kinds::schema(const GroupVersionKind& gvk) const {
  auto at = by_gvk_.find(key_of(gvk.group, gvk.version, gvk.kind));
  return at == by_gvk_.end() ? nullptr : &schemas_[at->second];
}

const Shape* Kinds::shape(std::string_view name) const {
  auto at = shapes_.find(name);
  return at == shapes_.end() ? nullptr : at->second;
}

}  // namespace holdfast::model
