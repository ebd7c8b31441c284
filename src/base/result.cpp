#include <holdfast/base/result.h>

#include <cstdio>
#include <cstdlib>

namespace holdfast {

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::Invalid:
      return "Invalid";
    case Fault::NotFound:
      return "NotFound";
    case Fault::Conflict:
      return "Conflict";
    case Fault::Denied:
      return "Denied";
    case Fault::Unavailable:
      return "Unavailable";
    case Fault::Corrupt:
      return "Corrupt";
    case Fault::Internal:
      return "Internal";
  }
  return "Internal";
}

Error::Error(Fault fault, std::string what)
    : body_(std::make_unique<Body>(Body{fault, std::move(what), {}})) {}

Error&& Error::with_context(std::string_view doing) && {
  body_->what.insert(0, ": ").insert(0, doing);
  return std::move(*this);
}

Error&& Error::with_hint(std::string hint) && {
  body_->hint = std::move(hint);
  return std::move(*this);
}

Error Error::copy() const {
  Error same(fault(), what());
  same.body_->hint = hint();
  return same;
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace holdfast
