#include "provider/choose.h"

#include <fmt/format.h>

namespace holdfast::volumes {

Result<std::unique_ptr<Provider>> choose_provider(std::string_view wish, const fs::path&) {
  if (wish == "auto" || wish == "copy") return make_copy_provider();
  return Error(Fault::Invalid, fmt::format("there is no provider \"{}\"", wish))
      .with_hint("auto or copy");
}

}  // namespace holdfast::volumes
