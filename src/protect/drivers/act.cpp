#include "drivers/act.h"

#include <holdfast/kube/typed.h>
#include <holdfast/model/status_patch.h>

namespace holdfast::protect {

control::Write make_record(const std::string& name) {
  using model::Object;
  const kube::Resource& drivers = kube::resource_of<DriverRecord>();
  return control::create(drivers, Object{{"apiVersion", drivers.api_version()},
                                         {"kind", drivers.kind},
                                         {"metadata", Object{{"name", name}}},
                                         {"spec", Object{}}});
}

control::Write report(const DriverSeen& seen, DriverRecord::Status status) {
  model::Value changed = model::changed_status(seen.record, std::move(status));
  return control::patch(kube::resource_of<DriverRecord>(), seen.object,
                        model::Object{{"status", std::move(changed)}}, control::Decides::Yes,
                        "status");
}

}  // namespace holdfast::protect
