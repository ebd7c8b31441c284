/// Declarations shared by the files about Services.
#pragma once

#include "kinds/place.h"

namespace holdfast::apiserver::core {

bool is_headless(const model::Value& service);
bool is_externally_accessible(const model::Value& service);
/// LoadBalancer with externalTrafficPolicy Local.
bool needs_health_check(const model::Value& service);

void default_service(model::Value& service);
void prepare_service(model::Value& service);
void prepare_service_update(model::Value& service, const model::Value& old);

/// `old` is null for a create.
void check_service(const Place& service, const model::Value* old);
/// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy against each other.
void check_cluster_ips(const Place& spec, const model::Value* old);
/// What the address allocator of a server with IPv4 only refuses.
void check_families_served(const Place& spec, const model::Value& service);
void check_cluster_ips_kept(const Place& spec, const model::Value& old);
void check_families_kept(const Place& spec, const model::Value& old);
void check_load_balancer_status(const Place& service, const model::Value& old);

}  // namespace holdfast::apiserver::core
