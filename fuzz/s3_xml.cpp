// Bodies of S3 answers. Whatever comes, the readers say yes or no; what they accept keeps its
// promises, and what we write ourselves is read back.
#include "s3/answers.h"
#include "s3/xml.h"

#include <string>
#include <string_view>

using namespace holdfast;
using namespace holdfast::blob;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t elements = 0, characters = 0;
  const Result<void> read = read_xml(text, [&](XmlPath path, const std::string& inside) {
    HF_CHECK(!path.empty() && path.size() <= 32);
    ++elements;
    characters += inside.size();
  });
  // Never more than the input justifies.
  HF_CHECK(elements * 3 <= size && characters <= size);
  HF_CHECK(read || read.error().fault() == Fault::Corrupt);
  if (const Result<ListPage> page = read_list(text)) {
    HF_CHECK(read);
    for (const Info& entry : page->entries) HF_CHECK(!entry.name.empty());
  }
  if (const Result<std::string> id = read_upload(text)) HF_CHECK(!id->empty());
  (void)read_error(text);
  (void)read_delete_result(text);

  // A name without bytes that XML cannot hold comes back as it was.
  const std::string names[] = {std::string(text)};
  std::string back;
  const bool plain = text.find('\0') == std::string_view::npos;
  const Result<void> own =
      read_xml(delete_request(names), [&](XmlPath path, const std::string& in) {
        if (path.back() == "Key") back = in;
      });
  HF_CHECK(!plain || (own && back == text));
  return 0;
}
