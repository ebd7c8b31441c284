#include "loop/journal.h"

#include <holdfast/control/sabotage.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::control {

namespace {

Write record_in_status(const Operation& operation, const OperationRecord& record) {
  return patch(operation.resource, operation.owner,
               with_operation(*operation.owner.shared_value(), record), Decides::Yes, "status");
}

}  // namespace

Journal::Attempt Journal::attempt_of(const Operation& operation) {
  return {std::string(operation.owner.uid()), operation.name, operation.attempt};
}

Journal::Next Journal::next(const kube::Key& key, const Operation& operation) {
  const auto record = find_operation(*operation.owner.shared_value(), operation.name);
  const Attempt attempt = attempt_of(operation);
  const Lock lock(mutex_);
  auto ended = unwritten_.find(key);
  if (ended != unwritten_.end() && ended->second.attempt == attempt) return Next::Outcome;
  if (!record || record->attempt < operation.attempt)
    return sabotage().no_intent ? Next::Run : Next::Intent;
  if (record->attempt > operation.attempt || !record->begun_and_unknown()) return Next::Defect;
  auto intended = intended_.find(key);
  const bool not_begun = intended != intended_.end() && intended->second == attempt;
  return not_begun ? Next::Run : Next::TakeOver;
}

Journal::Next Journal::take_over(const kube::Key& key, const Operation& operation, WallTime now) {
  if (operation.idempotent) return Next::Run;
  auto record = find_operation(*operation.owner.shared_value(), operation.name);
  HF_CHECK(record);
  OperationRecord& failed = *record;
  failed.finished_at = model::to_rfc3339(now);
  failed.outcome = "Failed";
  failed.message = "interrupted";
  const Lock lock(mutex_);
  unwritten_.insert_or_assign(key, Ended{attempt_of(operation), std::move(failed)});
  return Next::Outcome;
}

Write Journal::intent(const kube::Key& key, const Operation& operation, WallTime now) {
  OperationRecord record;
  record.name = operation.name;
  record.attempt = operation.attempt;
  record.started_at = model::to_rfc3339(now);
  const Lock lock(mutex_);
  intended_.insert_or_assign(key, attempt_of(operation));
  unwritten_.erase(key);
  return record_in_status(operation, record);
}

void Journal::begins(const kube::Key& key) {
  const Lock lock(mutex_);
  intended_.erase(key);
}

void Journal::ended(const kube::Key& key, const Operation& operation, Result<model::Value> how,
                    WallTime now) {
  OperationRecord record;
  if (auto begun = find_operation(*operation.owner.shared_value(), operation.name))
    record = std::move(*begun);
  record.name = operation.name;
  record.attempt = operation.attempt;
  record.finished_at = model::to_rfc3339(now);
  record.outcome = how ? "Succeeded" : "Failed";
  record.message = how ? "" : how.error().what();
  record.result = {};
  if (how && !how->is_null()) record.result = how.take();
  const Lock lock(mutex_);
  unwritten_.insert_or_assign(key, Ended{attempt_of(operation), std::move(record)});
}

Journal::Outcome Journal::outcome(const kube::Key& key, const Operation& operation) {
  const Lock lock(mutex_);
  const OperationRecord& record = unwritten_.at(key).record;
  return {record_in_status(operation, record), !record.succeeded(), record.message};
}

void Journal::forget(const kube::Key& key) {
  const Lock lock(mutex_);
  intended_.erase(key);
  unwritten_.erase(key);
}

}  // namespace holdfast::control
