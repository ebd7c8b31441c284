#include <holdfast/control/subject.h>
#include <holdfast/model/time.h>

namespace holdfast::control {

Subject subject_of(const Pass& pass, const kube::Cached& object) {
  Subject out;
  out.object = object;
  out.ns = object.ns();
  out.name = object.name();
  out.uid = object.uid();
  out.generation = object.meta().generation;
  out.deleting = object.being_deleted();
  out.created = model::parse_rfc3339(
      model::string_at(*object.shared_value(), {"metadata", "creationTimestamp"}));
  out.now = pass.now();
  return out;
}

}  // namespace holdfast::control
