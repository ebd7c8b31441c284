// The beginning of any file there may be: it is a database's or not, and nothing beyond it is read.
#include "chunk/page_file.h"

#include <string>

using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Of its own length, so that a byte too many is noticed.
  const std::string head(reinterpret_cast<const char*>(data), size);
  is_page_file(head, size * 128);
  return 0;
}
