/// A repository's status as its plan changes it, and what the result of a run means.
#pragma once

#include "repositories/plan.h"

namespace holdfast::protect {

inline constexpr std::string_view kHealthy = "Healthy", kScheduled = "Scheduled";

/// A status in the making.
class RepositoryReport {
 public:
  explicit RepositoryReport(const RepositorySeen& seen)
      : seen_(seen), status_(seen.repository.status) {}
  /// True if it says something new.
  bool condition(std::string_view type, std::string_view value, std::string reason,
                 std::string message);
  RepositoryReport& note(bool warning, std::string reason, std::string message);
  Repository::Status& status() { return status_; }
  RepositoryStep step() const;

 private:
  const RepositorySeen& seen_;
  Repository::Status status_;
  std::optional<control::Note> note_{};
};

const model::Condition* find_condition(const Repository::Status& status, std::string_view type);

/// The run is over: what came of it goes into the status, and an event.
RepositoryStep conclude(const RepositorySeen& seen, const JobSeen& job);

/// As a quantity of three or four digits, rounded up.
std::string size_text(int64_t bytes);

}  // namespace holdfast::protect
