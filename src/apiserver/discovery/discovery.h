/// Discovery documents, legacy and aggregated, and OpenAPI v3.
#pragma once

#include <holdfast/model/json.h>

#include "kinds/resource.h"

#include <string>
#include <string_view>

namespace holdfast::apiserver {

model::Value api_versions(std::string_view server_address);  ///< /api
model::Value api_group_list(const Catalogue& catalogue);     ///< /apis
model::Value api_group(const Catalogue::Group& group);       ///< /apis/G
model::Value api_resource_list(const Catalogue::Group& group,
                               const Catalogue::Version& version);  ///< /apis/G/V, /api/v1
/// apidiscovery.k8s.io/v2 APIGroupDiscoveryList for /api (core) or /apis (the others).
model::Value group_discovery_list(const Catalogue& catalogue, bool core);

/// /openapi/v3: {"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=…"}}}
model::Value open_api_index(const Catalogue& catalogue);
/// One group version's document, with real schemas and the operations kubectl looks at.
std::string open_api_document(const Catalogue::Group& group, const Catalogue::Version& version);

}  // namespace holdfast::apiserver
