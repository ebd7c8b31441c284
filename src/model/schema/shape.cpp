// Finding members of a shape by name.
#include <holdfast/model/schema.h>

namespace holdfast::model {

const Field* Shape::find(std::string_view field) const {
  auto at = by_name.find(field);
  return at == by_name.end() ? nullptr : &fields[at->second];
}

void Shape::index() {
  by_name.clear();
  by_name.reserve(fields.size());
  for (size_t i = 0; i < fields.size(); ++i)
    if (!fields[i].inlined) by_name.emplace(fields[i].name, static_cast<uint32_t>(i));
}

}  // namespace holdfast::model
