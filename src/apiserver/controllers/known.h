/// The makers of the controllers; the list in controller.cpp names them.
#pragma once

#include "controllers/controller.h"

#include <memory>
#include <string>

namespace holdfast::apiserver {

std::unique_ptr<Controller> make_garbage_collector(const std::string& root_ca);
std::unique_ptr<Controller> make_namespace_controller(const std::string& root_ca);
std::unique_ptr<Controller> make_service_account_controller(const std::string& root_ca);
std::unique_ptr<Controller> make_root_ca_publisher(const std::string& root_ca);
std::unique_ptr<Controller> make_cluster_role_aggregation(const std::string& root_ca);
std::unique_ptr<Controller> make_claim_protection(const std::string& root_ca);
std::unique_ptr<Controller> make_volume_protection(const std::string& root_ca);
std::unique_ptr<Controller> make_definition_cleanup();

}  // namespace holdfast::apiserver
