/// Requests that no server should fall over, each with what may come of it.
#pragma once

#include <holdfast/base/random.h>

#include "clients/raw.h"

#include <string>
#include <vector>

namespace holdfast::campaign {

struct Nuisance {
  std::string name;
  bool tls = true;
  bool admin = true;                 ///< shows the admin's certificate
  std::string bytes;                 ///< sent whole
  std::vector<std::string> answers;  ///< the answer starts with one of these; "" = just closed
};

std::vector<Nuisance> nuisances(Random& random);

struct Visit {
  bool ok = false;
  std::string got;  ///< the first line of the answer
};
/// Connects, sends, and reads until the server closes or answers.
Visit annoy(uint16_t port, const TlsTerms& terms, const Nuisance& nuisance);

}  // namespace holdfast::campaign
