// Selectors from a query string. What parses has a canonical text, which parses to the same again.
#include <holdfast/base/result.h>
#include <holdfast/model/selector.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::model;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto labels = LabelSelector::parse(text)) {
    const std::string canonical = labels->text();
    auto again = LabelSelector::parse(canonical);
    HF_CHECK(again);
    HF_CHECK(again->text() == canonical);
    const Labels some = {{"app", "web"}, {"tier", "front"}};
    HF_CHECK(labels->matches(some) == again->matches(some));
    HF_CHECK(labels->matches({}) == again->matches({}));
  }
  if (auto fields = FieldSelector::parse(text)) {
    fields->matches([](std::string_view field) { return std::string(field); });
  }
  return 0;
}
