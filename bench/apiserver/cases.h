/// The cases of the API server benchmark. Each talks to one server over TLS and reports what it
/// took.
#pragma once

#include <holdfast/net/client.h>

#include "measure.h"

#include <memory>
#include <string>

namespace holdfast::bench {

struct Subject {
  net::Client& client;
  const Clock& clock;
  Processes processes;
  Report report;
  int64_t scale = 1;  ///< divides the number of operations, for a quick look
};

/// Objects of about 1 KiB, created one after the other on each of `connections` connections.
Result<void> run_create(Subject& subject, int connections);
/// Reads of single objects that run_create left, spread over 16 connections.
Result<void> run_get(Subject& subject);
/// 10,000 objects in one namespace, listed whole; and the memory they took.
Result<void> run_list(Subject& subject);
/// From sending a write to having read its event on an open watch.
Result<void> run_watch_latency(Subject& subject);
Result<void> report_memory(Subject& subject, std::string_view name);

}  // namespace holdfast::bench
