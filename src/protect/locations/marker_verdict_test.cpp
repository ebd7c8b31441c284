// Markers of folders: which folder is the location's, and which is not.
#include "locations/marker_verdict.h"

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

/// "id", "id!" if it is to be written, "" if this is not the folder.
std::string judged(const MarkerSeen& seen) {
  const MarkerVerdict out = judge_marker(seen, "drawn");
  return out.id ? *out.id + (out.write ? "!" : "") : "";
}

TEST(Marker, OfANewLocation) {
  EXPECT_EQ(judged({}), "drawn!");
  EXPECT_EQ(judged({.found = "there"}), "there") << "the folder of another cluster's location";
}

TEST(Marker, OfALocationFromBeforeThereWereMarkers) {
  EXPECT_EQ(judged({.repositories_known = true, .repositories_found = true}), "drawn!");
  EXPECT_EQ(judged({.repositories_known = true}), "") << "its disk is not mounted";
  EXPECT_EQ(judged({.found = "there", .repositories_known = true}), "there");
}

TEST(Marker, OfAKnownLocation) {
  EXPECT_EQ(judged({.remembered = "id", .found = "id", .repositories_known = true}), "id");
  EXPECT_EQ(judged({.remembered = "id", .repositories_known = true}), "");
  EXPECT_EQ(judged({.remembered = "id", .found = "other", .repositories_known = true}), "");
  EXPECT_EQ(judged({.remembered = "id",
                    .found = "other",
                    .repositories_known = true,
                    .repositories_found = true}),
            "");
  EXPECT_EQ(judged({.remembered = "id", .repositories_known = true, .repositories_found = true}),
            "id!")
      << "the file alone is gone";
}

TEST(Marker, WithoutRepositoriesItMayBeginAnew) {
  EXPECT_EQ(judged({.remembered = "id"}), "id!");
  EXPECT_EQ(judged({.remembered = "id", .found = "other"}), "other");
}

}  // namespace
}  // namespace holdfast::protect
