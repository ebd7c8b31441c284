/// Declarations shared by the files about pods and the kinds with a pod template.
#pragma once

#include "kinds/place.h"
#include "kinds/rules.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver::pod {

/// The volumes that containers may mount, and the claims that they may use.
struct Surroundings {
  std::vector<std::pair<std::string, const model::Value*>> volumes;
  std::set<std::string, std::less<>> claims;
  int64_t grace_period = 30;
  std::string_view restart_policy;
  std::string_view os;  ///< "" if not said
  bool host_users = true;

  const model::Value* volume(std::string_view name) const;
};

// Defaults
void default_pod_spec(model::Value& spec);       ///< what templates get too
void default_pod_resources(model::Value& spec);  ///< only pods: requests from limits
void default_template(model::Value& holder);     ///< `holder.template`, if there is one
void default_claim_spec(model::Value& spec);
/// `serviceAccount` is the old name of `serviceAccountName`; both are shown, the new one wins.
void align_service_account(model::Value& spec);

// Preparation
/// Members behind feature gates that are off in 1.34 leave the spec, unless the old one has them.
void drop_gated_fields(model::Value& spec, const model::Value* old_spec);
void drop_gated_template_fields(model::Value& holder, const model::Value* old_holder);
std::string_view quality_of_service(const model::Value& spec);
/// An AppArmor profile that an annotation of old names stands in the container's field, too.
void take_app_armor_annotations(model::Value& pod);

// Validation
/// `pod_metadata` is null for a template, where some rules hold back.
void check_spec(const Place& spec, const model::Value* pod_metadata);
/// `{metadata, spec}` at this place, with the template's rules.
void check_template(const Place& pod_template);
void check_pod_annotations(const Place& annotations, const Place& spec);
void check_profiles_match_annotations(const model::Value& annotations, const Place& spec);
/// Fills `surroundings.volumes` with the good ones.
void check_volumes(const Place& volumes, const model::Value* pod_metadata,
                   Surroundings& surroundings);
void check_projected(const Place& projected);
void check_downward_file(const Place& file);
void check_key_to_path(const Place& item);
void check_file_mode(const Place& mode);
void check_relative_path(const Place& path);
void check_no_backsteps(const Place& path);
void check_local_path(const Place& path);  ///< relative, no "..", not starting with ".."

void check_containers(const Place& spec, const Surroundings& around);
void check_init_containers(const Place& spec, const Surroundings& around);
void check_ephemeral_containers(const Place& spec, const Surroundings& around);
void check_images_have_no_spaces(const Place& spec);
void check_env(const Place& container);
void check_mounts(const Place& container, const Surroundings& around);
void check_field_ref(const Place& ref, bool in_volume);
void check_resource_field_ref(const Place& ref, bool in_volume);
void check_probes(const Place& container, const Surroundings& around);
void check_lifecycle(const Place& lifecycle, const Surroundings& around);

void check_container_resources(const Place& resources, const Surroundings& around);
void check_overhead(const Place& overhead, const Surroundings& around);
void check_pod_level_resources(const Place& spec, const Surroundings& around);

void check_pod_security(const Place& spec);
void check_container_security(const Place& context, const Surroundings& around);
void check_host_process(const Place& spec);
void check_os(const Place& spec);

void check_affinity(const Place& affinity);
/// {nodeSelectorTerms}
void check_node_selector(const Place& selector);
void check_tolerations(const Place& tolerations);
void check_spread(const Place& constraints);
void check_dns(const Place& spec);
void check_ip(const Place& address);

void check_pod_update(const Place& pod, const model::Value& old);
void check_pod_status(const model::Value& pod, const model::Value& old, model::FieldErrors& errors);

/// `metadata.name: this is used in …` plus what the pod spec at `path` (the template's; "" for a
/// pod) warns of.
void warn_about(const model::Value& pod_or_template, std::string_view path,
                std::vector<std::string>& warnings);
void warn_about_name(const model::Value& object, std::string_view use,
                     std::vector<std::string>& warnings);

/// `visit(Place container)` for init, ordinary and ephemeral containers, in this order.
template <class Visit>
void each_container(const Place& spec, Visit visit) {
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    spec[list].each(visit);
}

}  // namespace holdfast::apiserver::pod
