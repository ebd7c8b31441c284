/// The Accept header, as the real server's router decides by it before any of its handlers looks at
/// it. Custom kinds have no such router: their handler decides (`negotiate`).
#pragma once

#include "rest/api.h"

#include <span>
#include <string_view>

namespace holdfast::apiserver {

inline constexpr std::string_view kJson[] = {"application/json"};
/// What handlers of objects and of discovery write.
inline constexpr std::string_view kObjects[] = {"application/json", "application/yaml",
                                                "application/vnd.kubernetes.protobuf"};

/// 406 unless the client takes one of them. Only a whole type or `*/*` counts here, letter by
/// letter.
Answer<void> check_accept(const net::Request& request, std::span<const std::string_view> produced);
/// The same for a request of a resource.
Answer<void> check_accept(const Call& call);

}  // namespace holdfast::apiserver
