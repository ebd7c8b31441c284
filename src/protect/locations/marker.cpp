#include "locations/marker.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

namespace holdfast::protect {
namespace {

constexpr const char* kMarkerFile = "holdfast-location";
constexpr size_t kLongestMarker = 64;

}  // namespace

Result<std::string> read_marker(const std::filesystem::path& folder) {
  Result<std::string> text = read_file(folder / kMarkerFile);
  if (!text && text.error().fault() == Fault::NotFound) return std::string();
  if (!text) return text;
  return std::string(trim(*text).substr(0, kLongestMarker));
}

Result<void> write_marker(const std::filesystem::path& folder, const std::string& id) {
  return write_file(folder / kMarkerFile, id + "\n", 0644);
}

}  // namespace holdfast::protect
