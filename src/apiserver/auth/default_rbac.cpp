// default_rbac.jsonl holds the objects that a Kubernetes 1.34 server labels
// kubernetes.io/bootstrapping=rbac-defaults, written by tools/rbac from what such a server says of
// itself.
#include <holdfast/base/text.h>

#include "auth/authorizer.h"

// NOLINTBEGIN(readability-identifier-naming): the names are the assembler file's
extern "C" {
extern const char holdfast_default_rbac[];
extern const char holdfast_default_rbac_end[];
}
// NOLINTEND(readability-identifier-naming)

namespace holdfast::apiserver {

const std::vector<model::Value>& default_rbac_objects() {
  static const std::vector<model::Value> objects = [] {
    std::vector<model::Value> parsed;
    const std::string_view lines(holdfast_default_rbac,
                                 size_t(holdfast_default_rbac_end - holdfast_default_rbac));
    for (const std::string_view line : split(lines, '\n')) {
      if (line.empty()) continue;
      Result<model::Parsed> object = model::parse_json(line);
      HF_CHECK(object);
      parsed.push_back(std::move(object->value));
    }
    return parsed;
  }();
  return objects;
}

}  // namespace holdfast::apiserver
