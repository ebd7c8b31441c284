#include "repositories/plan.h"

#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include "plans_for_tests.h"
#include "repositories/report.h"
#include "repositories/upkeep_job.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using Kind = Outcome::Kind;

const WallTime kNow = *model::parse_rfc3339("2026-05-01T12:00:00Z");

/// Open, with nothing due before half past twelve.
RepositorySeen idle() {
  RepositorySeen seen;
  seen.ns = "vault";
  seen.name = "here-shop";
  seen.uid = "u1";
  seen.object = cached_object("vault", "here-shop");
  seen.generation = 2;
  seen.created = kNow - 1h;
  seen.now = kNow;
  seen.repository.spec.location.name = "here";
  seen.repository.spec.ns = "shop";
  seen.repository.spec.maintenance.prune.schedule = "0 3 * * sun";
  seen.repository.spec.maintenance.check.schedule = "30 12 * * *";
  seen.location = LocationSeen{"vault", "here", "l1", {}, 1};
  seen.location->location.spec.s3 = BackupLocation::S3{.endpoint = "http://s3", .bucket = "b"};
  seen.location->location.spec.credential = SecretName{"key"};
  seen.location->location.spec.password = SecretKey{"pw", "password"};
  seen.location_tried = true;
  seen.access = "7 8";
  seen.repository.status.opened_with = "7 8";
  return seen;
}

constexpr const char* kReport = "patch repositories.holdfast.dev/status vault/here-shop";
constexpr const char* kDrop = "patch repositories.holdfast.dev vault/here-shop";

bool starts_job(const Outcome& outcome) {
  return written(outcome).starts_with("create jobs.batch ");
}

/// Carries out what is planned.
Outcome advance(RepositorySeen& seen) {
  Outcome outcome = plan_repository(seen, {});
  Repository::Status& status = seen.repository.status;
  if (written(outcome) == kReport) status = status_after(seen.repository, outcome);
  if (written(outcome) == kDrop) {
    const model::Value* gone =
        model::find(outcome.write()->body, {"metadata", "annotations", kRunAnnotation});
    EXPECT_TRUE(gone != nullptr && gone->is_null());
    seen.asked.clear();
  }
  if (starts_job(outcome)) {
    const model::Value& job = outcome.write()->body;
    EXPECT_EQ(written(outcome), "create jobs.batch vault/" + status.running->job);
    EXPECT_EQ(model::string_at(job, {"metadata", "labels", kUpkeepLabel}), status.running->kind);
    seen.jobs.push_back(
        {.name = status.running->job, .kind = status.running->kind, .created = seen.now});
  }
  return outcome;
}

JobSeen& finish(RepositorySeen& seen, const UpkeepReport& report) {
  JobSeen& job = seen.jobs.back();
  job.finished = true;
  job.ended = seen.now;
  job.report = to_text(report);
  return job;
}

std::string reason(const RepositorySeen& seen, std::string_view type) {
  const model::Condition* found = control::find_condition(seen.repository.status.conditions, type);
  return found == nullptr ? "" : found->status + " " + found->reason;
}

TEST(PlanRepository, TellsWhenUpkeepIsDueAndWaitsForIt) {
  RepositorySeen seen = idle();
  EXPECT_EQ(written(advance(seen)), kReport);
  EXPECT_EQ(control::find_condition(seen.repository.status.conditions, kScheduled)->message,
            "next prune at 2026-05-03T03:00:00Z, next check at 2026-05-01T12:30:00Z");
  const Outcome step = advance(seen);
  EXPECT_EQ(step.kind, Kind::Wait);
  EXPECT_EQ(step.again, 30min);
}

TEST(PlanRepository, WhatIsDueIsIntendedThenDoneThenTold) {
  RepositorySeen seen = idle();
  seen.now = kNow + 31min;
  const Outcome intent = advance(seen);
  ASSERT_EQ(written(intent), kReport);
  EXPECT_EQ(noted(intent).reason, "CheckStarted");
  ASSERT_TRUE(seen.repository.status.running);
  EXPECT_EQ(seen.repository.status.running->scheduled_for, "2026-05-01T12:30:00Z");
  EXPECT_TRUE(starts_job(advance(seen)));
  EXPECT_EQ(advance(seen).kind, Kind::Wait);

  finish(seen, {.kind = "Check",
                .size = 20 << 20,
                .snapshots = 3,
                .oldest_unverified = "2026-04-01T00:00:00Z",
                .summary = "3 snapshots"});
  const Outcome told = advance(seen);
  EXPECT_EQ(written(told), kReport);
  EXPECT_EQ(noted(told).reason, "Checked");
  EXPECT_FALSE(seen.repository.status.running);
  EXPECT_EQ(seen.repository.status.size, "20Mi");
  EXPECT_EQ(seen.repository.status.snapshots, 3);
  EXPECT_EQ(seen.repository.status.last_check, "2026-05-01T12:31:00Z");
  EXPECT_EQ(seen.repository.status.oldest_unverified_data, "2026-04-01T00:00:00Z");
  EXPECT_EQ(reason(seen, kHealthy), "True Checked");
  EXPECT_EQ(written(advance(seen)), kReport) << "the next times";
  EXPECT_EQ(advance(seen).kind, Kind::Wait);
}

TEST(PlanRepository, TheSameRunHasTheSameJob) {
  const RepositorySeen seen = idle();
  EXPECT_EQ(job_name(seen, "Check", kNow), job_name(seen, "Check", kNow));
  EXPECT_NE(job_name(seen, "Check", kNow), job_name(seen, "Check", kNow + 1min));
  EXPECT_NE(job_name(seen, "Check", kNow), job_name(seen, "Prune", kNow));
}

TEST(PlanRepository, MissedRunsAreMadeUpOnce) {
  RepositorySeen seen = idle();
  seen.repository.spec.maintenance.check.schedule = "* * * * *";
  seen.repository.status.check_scheduled = model::to_rfc3339(kNow - 24h);
  advance(seen);
  ASSERT_TRUE(seen.repository.status.running);
  EXPECT_EQ(seen.repository.status.running->scheduled_for, model::to_rfc3339(kNow));
  advance(seen);
  finish(seen, {.kind = "Check"});
  advance(seen);
  ASSERT_FALSE(seen.repository.status.running);
  EXPECT_EQ(written(advance(seen)), kReport);
  const Outcome step = advance(seen);
  EXPECT_EQ(step.kind, Kind::Wait);
  EXPECT_EQ(step.again, 60s);
}

TEST(PlanRepository, OneAtATime) {
  RepositorySeen seen = idle();
  seen.repository.spec.maintenance.prune.schedule = "* * * * *";
  seen.repository.spec.maintenance.check.schedule = "* * * * *";
  advance(seen);
  EXPECT_EQ(seen.repository.status.running->kind, "Prune");
  advance(seen);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(advance(seen).kind, Kind::Wait);
  finish(seen, {.kind = "Prune", .summary = "0 packs deleted"});
  advance(seen);
  EXPECT_EQ(reason(seen, "Pruned"), "True Pruned");
  advance(seen);
  EXPECT_EQ(seen.repository.status.running->kind, "Check");
}

TEST(PlanRepository, OtherSecretsAreTriedAtOnce) {
  RepositorySeen seen = idle();
  seen.access = "7 9";
  EXPECT_EQ(written(advance(seen)), kReport);
  EXPECT_EQ(seen.repository.status.running->kind, "Open");
  EXPECT_TRUE(starts_job(advance(seen)));
  finish(seen, {.kind = "Open", .reason = "WrongPassword", .message = "no key opens"});
  const Outcome told = advance(seen);
  EXPECT_EQ(reason(seen, kHealthy), "False WrongPassword");
  EXPECT_TRUE(noted(told).warning);
  EXPECT_NE(noted(told).message.find("entry password of Secret vault/pw"), std::string::npos);
  EXPECT_FALSE(seen.repository.status.retry) << "another try does not make it right";
  advance(seen);
  EXPECT_EQ(advance(seen).kind, Kind::Wait);
}

TEST(PlanRepository, TwoRunsWithinASecondAreTwoJobs) {
  RepositorySeen seen = idle();
  for (const char* reason_of_run : {"WrongPassword", ""}) {
    seen.access += "0";
    EXPECT_EQ(written(advance(seen)), kReport);
    EXPECT_TRUE(starts_job(advance(seen)));
    finish(seen, {.kind = "Open", .reason = reason_of_run});
    advance(seen);
  }
  EXPECT_EQ(reason(seen, kHealthy), "Unknown NotChecked");
  EXPECT_EQ(seen.jobs.size(), 2U);
}

TEST(PlanRepository, WhatMaySucceedLaterIsTriedAgainBeforeItsSchedule) {
  RepositorySeen seen = idle();
  seen.asked = "prune";
  while (!starts_job(advance(seen))) {
  }
  finish(seen, {.kind = "Prune", .reason = "Locked", .message = "a lock", .again = true});
  advance(seen);
  EXPECT_EQ(reason(seen, "Pruned"), "False Locked");
  EXPECT_EQ(reason(seen, kHealthy), "") << "a lock says nothing of the data";
  seen.now += 61min;
  seen.repository.spec.maintenance.check.schedule = "";
  advance(seen);
  ASSERT_TRUE(seen.repository.status.running);
  EXPECT_EQ(seen.repository.status.running->kind, "Prune");
}

TEST(PlanRepository, AnAnnotationIsAnsweredOnceAndGoesBeforeTheJob) {
  RepositorySeen seen = idle();
  seen.asked = "check";
  EXPECT_EQ(written(advance(seen)), kReport);
  EXPECT_EQ(written(advance(seen)), kDrop);
  EXPECT_TRUE(starts_job(advance(seen)));
  seen.asked = "check";
  EXPECT_EQ(advance(seen).kind, Kind::Wait) << "asked again while it runs: that is for afterwards";
  finish(seen, {.kind = "Check"});
  advance(seen);
  EXPECT_EQ(written(advance(seen)), kReport);
  EXPECT_EQ(seen.repository.status.running->kind, "Check");
}

TEST(PlanRepository, WhatCannotBeAskedForIsRefusedWithAnEvent) {
  RepositorySeen seen = idle();
  seen.asked = "destroy";
  Outcome step = plan_repository(seen, {});
  EXPECT_EQ(written(step), kDrop);
  EXPECT_EQ(noted(step).reason, "UnknownUpkeep");
  seen.asked = "prune";
  seen.location->location.spec.read_only = true;
  step = plan_repository(seen, {});
  EXPECT_EQ(written(step), kDrop);
  EXPECT_EQ(noted(step).reason, "ReadOnlyLocation");
}

TEST(PlanRepository, WithoutWhatItNeedsNothingBegins) {
  const auto health = [](RepositorySeen seen) {
    seen.now = kNow + 24h;
    const Outcome step = advance(seen);
    EXPECT_EQ(written(step), kReport);
    EXPECT_TRUE(noted(step).warning);
    EXPECT_EQ(advance(seen).kind, Kind::Done);
    const std::string said = reason(seen, kHealthy);
    RepositorySeen right = idle();
    right.repository.status = seen.repository.status;
    advance(right);
    EXPECT_TRUE(right.repository.status.running) << "put right, it is looked at again";
    return said;
  };
  RepositorySeen gone = idle();
  gone.location.reset();
  gone.no_location = {"NoBackupLocation", "there is none"};
  EXPECT_EQ(health(gone), "False NoBackupLocation");
  RepositorySeen bare = idle();
  bare.missing_secret = "Secret vault/pw with the password is not there";
  EXPECT_EQ(health(bare), "False SecretNotFound");
  RepositorySeen foreign = idle();
  foreign.repository.spec.location.ns = "elsewhere";
  EXPECT_EQ(health(foreign), "False InvalidSpec");
  RepositorySeen folder = idle();
  folder.location->location.spec.s3.reset();
  folder.location->location.spec.file = BackupLocation::File{"/srv"};
  EXPECT_EQ(health(folder), "False FileLocationNotAllowed");
}

TEST(PlanRepository, AJobWithoutAPodIsLookedAtAgainSoon) {
  RepositorySeen seen = idle();
  seen.repository.status.running = Repository::Run{.kind = "Check", .job = "j"};
  seen.jobs = {JobSeen{.name = "j", .kind = "Check", .has_pods = false, .created = kNow}};
  EXPECT_EQ(plan_repository(seen, {}).reason, "JobHasNoPod");
  EXPECT_EQ(plan_repository(seen, {}).again, kPodPatience);
  seen.jobs[0].has_pods = true;
  EXPECT_EQ(plan_repository(seen, {}).reason, "JobRuns");
}

TEST(PlanRepository, TheTrialPodOfAJobIsThatOfItsTemplate) {
  JobSeen job{.object = kube::Cached::from_value(
                            model::parse_json(
                                R"({"metadata":{"name":"j","namespace":"vault"},"spec":{"template":{
                                "metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}})")
                                ->value)
                            .take(),
              .name = "j"};
  const model::Value pod = pod_of(job);
  EXPECT_EQ(model::string_at(pod, {"metadata", "namespace"}), "vault");
  EXPECT_EQ(model::string_at(pod, {"metadata", "generateName"}), "j-");
  EXPECT_EQ(model::string_at(pod, {"metadata", "labels", "a"}), "b");
  EXPECT_EQ(model::string_at(pod, {"spec", "restartPolicy"}), "Never");
}

TEST(PlanRepository, NothingBeginsBeforeTheSecretsOfItsLocationAreKnown) {
  RepositorySeen seen = idle();
  seen.repository.status.opened_with.clear();
  seen.location_tried = false;
  EXPECT_EQ(plan_repository(seen, {}).reason, "LocationNotTried");
  seen.location_tried = true;
  EXPECT_EQ(written(plan_repository(seen, {})), kReport);
}

TEST(PlanRepository, AWrongScheduleIsToldAndTheOtherOneHolds) {
  RepositorySeen seen = idle();
  seen.repository.spec.maintenance.prune.schedule = "61 * * * *";
  const Outcome step = advance(seen);
  EXPECT_EQ(reason(seen, kScheduled), "False InvalidSchedule");
  EXPECT_NE(noted(step).message.find("spec.maintenance.prune.schedule"), std::string::npos);
  EXPECT_NE(noted(step).message.find("minute"), std::string::npos);
  EXPECT_EQ(advance(seen).again, 30min);
}

TEST(PlanRepository, AJobThatSaysNothingIsNotTakenForGood) {
  RepositorySeen seen = idle();
  seen.now = kNow + 31min;
  advance(seen);
  advance(seen);
  JobSeen& job = finish(seen, {});
  job.report = "";
  job.trouble = "BackoffLimitExceeded: Job has reached the specified backoff limit";
  EXPECT_EQ(advance(seen).kind, Kind::Wait) << "its pod may not be in the cache yet";
  seen.now += 31s;
  EXPECT_EQ(noted(advance(seen)).reason, "UpkeepDied");
  EXPECT_EQ(reason(seen, "Checked"), "False UpkeepDied");
  EXPECT_TRUE(seen.repository.status.retry);
}

TEST(PlanRepository, APodThatDoesNotBeginIsTold) {
  RepositorySeen seen = idle();
  seen.now = kNow + 31min;
  advance(seen);
  advance(seen);
  seen.jobs.back().trouble = "ImagePullBackOff: no such image";
  EXPECT_EQ(advance(seen).kind, Kind::Wait);
  seen.now += 6min;
  EXPECT_EQ(noted(advance(seen)).reason, "UpkeepNotStarted");
  EXPECT_EQ(advance(seen).kind, Kind::Wait);
}

TEST(PlanRepository, DamageStaysUntilACheckFindsNone) {
  RepositorySeen seen = idle();
  for (const bool damaged : {true, false}) {
    seen.asked = "check";
    while (!starts_job(advance(seen))) {
    }
    finish(seen, {.kind = "Check", .reason = damaged ? "DamagedData" : "", .message = "pack 3f"});
    advance(seen);
    EXPECT_EQ(reason(seen, kHealthy), damaged ? "False DamagedData" : "True Checked");
    seen.now += 1s;
    seen.asked = "prune";
    while (!starts_job(advance(seen))) {
    }
    finish(seen, {.kind = "Prune"});
    advance(seen);
    EXPECT_EQ(reason(seen, kHealthy), damaged ? "False DamagedData" : "True Checked");
    seen.now += 1s;
  }
}

TEST(PlanRepository, AfterABackupItIsCountedAnewButNotAtOnce) {
  RepositorySeen seen = idle();
  seen.repository.spec.maintenance = {};
  seen.repository.status.last_opened = model::to_rfc3339(kNow - 10min);
  seen.last_backup = kNow - 20min;
  advance(seen);
  EXPECT_EQ(advance(seen).kind, Kind::Done) << "that one was counted";
  seen.last_backup = kNow - 5min;
  EXPECT_EQ(advance(seen).again, 50min);
  seen.now += 50min;
  advance(seen);
  ASSERT_TRUE(seen.repository.status.running);
  EXPECT_EQ(seen.repository.status.running->kind, "Open");
}

/// The Open that is under way ends so.
Repository::Status ended(RepositorySeen& seen, const UpkeepReport& said) {
  seen.repository.status.running =
      Repository::Run{.kind = "Open", .scheduled_for = model::to_rfc3339(kNow), .job = "open"};
  seen.jobs = {{.name = "open",
                .kind = "Open",
                .finished = true,
                .created = kNow,
                .ended = kNow,
                .report = to_text(said)}};
  return status_after(seen.repository, plan_repository(seen, {}));
}

TEST(PlanRepository, ItsIdIsKeptFromWhoeverSawItFirst) {
  RepositorySeen seen = idle();
  seen.moved_id = "abc";
  EXPECT_EQ(status_after(seen.repository, plan_repository(seen, {})).repository_id, "abc");
  seen.repository.status.repository_id = "abc";
  seen.moved_id = "other";
  advance(seen);
  EXPECT_EQ(seen.repository.status.repository_id, "abc") << "it does not follow what came later";
  RepositorySeen from_before = idle();
  EXPECT_EQ(ended(from_before, {.kind = "Open", .repository_id = "abc"}).repository_id, "abc");
}

TEST(PlanRepository, OneThatIsMissedIsLookedForUntilItIsBack) {
  for (const char* reason : {"RepositoryNotFound", "RepositoryChanged"}) {
    RepositorySeen seen = idle();
    seen.repository.status.repository_id = "abc";
    seen.repository.status = ended(seen, {.kind = "Open", .reason = reason, .message = "no"});
    const model::Condition* healthy =
        control::find_condition(seen.repository.status.conditions, kHealthy);
    ASSERT_NE(healthy, nullptr);
    EXPECT_EQ(healthy->reason, reason);
    EXPECT_EQ(seen.repository.status.repository_id, "abc") << "what was is not forgotten";
    ASSERT_TRUE(seen.repository.status.retry);
    EXPECT_EQ(seen.repository.status.retry->kind, "Open");
    EXPECT_EQ(seen.repository.status.retry->at, model::to_rfc3339(kNow + 10min));
  }
  RepositorySeen planned = idle();
  planned.repository.status =
      ended(planned, {.kind = "Open", .reason = "RepositoryNotFound", .message = "no"});
  EXPECT_FALSE(planned.repository.status.retry) << "there never was one";
}

TEST(PlanRepository, OneThatAMoverMissesIsLookedForAtOnce) {
  RepositorySeen seen = idle();
  seen.repository.status.repository_id = "abc";
  seen.repository.status.last_opened = model::to_rfc3339(kNow - 1h);
  seen.last_missed = kNow - 1min;
  EXPECT_EQ(status_after(seen.repository, plan_repository(seen, {})).running->kind, "Open");
  seen.repository.status.conditions = {
      {"Healthy", "False", "RepositoryNotFound", "no", "2026-05-01T11:59:30Z", 2}};
  EXPECT_FALSE(status_after(seen.repository, plan_repository(seen, {})).running)
      << "that is known already";
}

TEST(PlanRepository, OneThatIsGoneForGoodIsBegunAnewIfSomebodySaysSo) {
  RepositorySeen seen = idle();
  seen.repository.status.repository_id = "abc";
  seen.repository.status.last_opened = model::to_rfc3339(kNow - 1h);
  seen.is_given_up = true;

  seen.repository.status = status_after(seen.repository, plan_repository(seen, {}));

  EXPECT_EQ(seen.repository.status.repository_id, "");
  EXPECT_EQ(seen.repository.status.last_opened, "");
  EXPECT_EQ(seen.repository.status.anew_since, model::to_rfc3339(kNow));
  EXPECT_EQ(reason(seen, kHealthy), "Unknown BegunAnew");
  const Outcome drop = plan_repository(seen, {});
  EXPECT_EQ(written(drop), kDrop);
  EXPECT_TRUE(
      model::find(drop.write()->body, {"metadata", "annotations", kAnewAnnotation})->is_null());
}

TEST(PlanRepository, OldJobsGoTheNewestStay) {
  RepositorySeen seen = idle();
  advance(seen);
  for (int i = 0; i < 4; ++i)
    seen.jobs.push_back({.object = cached_object("vault", "check-" + std::to_string(i)),
                         .name = "check-" + std::to_string(i),
                         .kind = "Check",
                         .finished = true,
                         .created = kNow - 1h * (i + 1)});
  EXPECT_EQ(written(plan_repository(seen, {})), "delete jobs.batch vault/check-3");
}

TEST(DefaultMaintenance, IsSpreadAndParses) {
  const Repository::Maintenance one = default_maintenance("l1/shop");
  EXPECT_TRUE(Schedule::parse(one.prune.schedule)) << one.prune.schedule;
  EXPECT_TRUE(Schedule::parse(one.check.schedule)) << one.check.schedule;
  EXPECT_EQ(one.prune.schedule, default_maintenance("l1/shop").prune.schedule);
  EXPECT_NE(one.prune.schedule, default_maintenance("l1/other").prune.schedule);
}

TEST(SizeText, IsAQuantityOfFewDigits) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(10239), "10239");
  EXPECT_EQ(size_text(10240), "10Ki");
  EXPECT_EQ(size_text(10241), "11Ki");
  EXPECT_EQ(size_text(int64_t{5} << 40), "5120Gi");
}

}  // namespace
}  // namespace holdfast::protect
