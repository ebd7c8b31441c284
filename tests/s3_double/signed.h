/// Authentication of requests: SigV4, checked to the letter.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/net/http.h>

#include <optional>
#include <string>

namespace holdfast::s3_double {

struct Refusal {
  int status = 0;
  std::string code{}, message{};
  std::string extra{};  ///< further XML of the Error
};

struct Keys {
  std::string access_key{}, secret_key{}, session_token{};
  std::string region{};
  std::string old_access_key{}, old_code{};  ///< what a key that was replaced is told
};

/// None if the request is signed as it must be and its payload is what was signed.
std::optional<Refusal> check_signed(const net::Request& request, const Keys& keys, WallTime now);

}  // namespace holdfast::s3_double
