#include "moves/asked.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/walls.h>
#include <holdfast/control/asked.h>
#include <holdfast/control/sabotage.h>

namespace holdfast::protect {
namespace {

std::string digest_of(const DataMove::Asked& asked) {
  if (!asked.document || !asked.document->content) return "";
  return hex(sha256(*asked.document->content));
}

/// The text that the digest was made of, if that is what the spec says still.
void fill_in(DataMove::Asked& asked, const std::string& digest, const DataMove::Asked& spec) {
  if (asked.document && !digest.empty() && digest_of(spec) == digest)
    asked.document->content = spec.document->content;
}

}  // namespace

void record_asked(const DataMove& move, DataMove::Status& status) {
  status.asked = move.spec;
  status.document_digest = digest_of(move.spec);
  if (status.asked->document) status.asked->document->content.reset();
}

std::vector<std::string> keep_to_asked(DataMove& move) {
  DataMove::Status& status = move.status;
  if (!status.asked || !wall_stands("moves do what they were accepted for") ||
      control::sabotage().no_frozen)
    return {};
  fill_in(*status.asked, status.document_digest, move.spec);
  std::vector<std::string> edited = control::keep_to_asked(move);
  if (status.asked->document) status.asked->document->content.reset();
  return edited;
}

std::vector<std::string> differing(const DataMove& move, const DataMove& wished) {
  DataMove::Asked asked = move.status.asked ? *move.status.asked : move.spec;
  if (move.status.asked) fill_in(asked, move.status.document_digest, wished.spec);
  const DataMove::Asked& wish = wished.spec;
  return control::differing_fields(model::field_type<DataMove::Asked>(), &wish, &asked);
}

}  // namespace holdfast::protect
