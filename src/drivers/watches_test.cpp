// Watches on DataMoves, of every controller that an operator runs.
#include <holdfast/drivers/drivers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include <gtest/gtest.h>

namespace holdfast::drivers {
namespace {

using model::Object;

/// A backup under way of which a snapshot is there already and verified: all that a controller may
/// wait for has been told by earlier changes.
kube::Cached move_at(std::string_view version, int64_t bytes_done) {
  const Object status{{"phase", "InProgress"},
                      {"snapshotID", "3c4d"},
                      {"lockID", "9f8e"},
                      {"verified", Object{{"time", "2026-01-01T00:00:00Z"}}},
                      {"progress", Object{{"bytesDone", bytes_done}}}};
  return kube::Cached::from_value(Object{{"metadata", Object{{"namespace", "shop"},
                                                             {"name", "upload"},
                                                             {"uid", "u-1"},
                                                             {"resourceVersion", version}}},
                                         {"status", status}})
      .take();
}

// Movers write progress every second: a watch that lets it through costs a pass for each second of
// each transfer.
TEST(Watches, ProgressOfAMoveWakesNoController) {
  const kube::Change progress{
      .kind = kube::Change::Kind::Updated, .before = move_at("7", 10), .after = move_at("8", 20)};
  size_t watches = 0;
  for (const control::ControllerSpec& spec : protect::all_controllers({}, all(), {}, {}))
    for (const control::Watch& watch : spec.watches) {
      if (watch.scope.resource != kube::resource_of<protect::DataMove>()) continue;
      ++watches;
      const bool heard = !watch.when || watch.when(progress);
      EXPECT_FALSE(heard) << spec.name << " is woken by each second of a transfer";
    }
  EXPECT_GE(watches, 4U) << "moves themselves, enrolment, repositories, and drivers that use them";
}

}  // namespace
}  // namespace holdfast::drivers
