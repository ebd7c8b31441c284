#include <holdfast/model/structural.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/kinds.h>
#include <holdfast/protect/repository.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

TEST(Kinds, EveryDefinitionIsStructural) {
  for (const model::Value& definition : definitions()) {
    const model::Value& version = model::array_at(definition, {"spec", "versions"})[0];
    model::FieldErrors errors;

    model::build_structural(*model::find(version, {"schema", "openAPIV3Schema"}), "schema", errors);

    EXPECT_TRUE(errors.empty()) << model::string_at(definition, {"metadata", "name"});
  }
}

TEST(Kinds, AMoveReadsBackAsItWasWritten) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.volume = DataMove::Volume{.claim = "data-db-0"};
  move.spec.location = Reference{.name = "s3-eu"};
  move.spec.limits = DataMove::Limits{.bytes_per_second = 1000};
  move.status.phase = DataMove::Phase::InProgress;
  move.status.progress = DataMove::Progress{.total_bytes = 10, .bytes_done = 3};

  const auto back = model::decode_object<DataMove>(model::encode_object(move));

  ASSERT_TRUE(back) << back.error().what();
  EXPECT_EQ(back->spec.direction, DataMove::Direction::Restore);
  EXPECT_EQ(back->spec.volume->claim, "data-db-0");
  EXPECT_EQ(back->spec.location->name, "s3-eu");
  EXPECT_EQ(back->spec.limits->bytes_per_second, 1000);
  EXPECT_EQ(back->status.phase, DataMove::Phase::InProgress);
  EXPECT_EQ(back->status.progress->bytes_done, 3);
}

}  // namespace
}  // namespace holdfast::protect
