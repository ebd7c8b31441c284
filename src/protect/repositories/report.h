/// A repository's status as its plan changes it, and what the result of a run means.
#pragma once

#include <holdfast/control/report.h>

#include "repositories/plan.h"

namespace holdfast::protect {

inline constexpr std::string_view kHealthy = "Healthy", kScheduled = "Scheduled";

class RepositoryReport : public control::Report<Repository> {
 public:
  explicit RepositoryReport(const RepositorySeen& seen)
      : Report(seen.repository, seen.generation, seen.now, "Upkeep"), object_(seen.object) {}
  control::Outcome outcome() const { return Report::outcome(object_); }

 private:
  const kube::Cached& object_;
};

/// The run is over: what came of it goes into the status, and an event.
control::Outcome conclude(const RepositorySeen& seen, const JobSeen& job);

/// As a quantity of three or four digits, rounded up.
std::string size_text(int64_t bytes);

}  // namespace holdfast::protect
