#include <holdfast/protect/mover.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

// Repositories are encrypted with these: another value, and none of them opens.
TEST(DerivedPassword, StaysWhatItWasWhenTheRepositoriesWereMade) {
  EXPECT_EQ(derived_password("correct horse battery staple", "shop"),
            "0d90efa0594237feb2696ad79df81d983acdff1c8b672bad5421125a8717f103");
  EXPECT_EQ(derived_password(std::string(100, 'p'), "shop"),
            "b2fd6ccc5b29c078bec9a2589548f792e9984746257cffe9c5e90f628302dc98");
}

}  // namespace
}  // namespace holdfast::protect
