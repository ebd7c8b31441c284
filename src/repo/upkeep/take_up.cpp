// Packs of an interrupted backup that are uploaded and in no index, taken up again.
#include <holdfast/repo/backup.h>

#include "index/index_writer.h"
#include "upkeep/pack_header_reader.h"
#include "upkeep/survey.h"

namespace holdfast::repo {

Result<uint64_t> take_up_packs(Opened& repository, const std::stop_token& stop) {
  auto& keyed = static_cast<KeyedRepository&>(repository);
  // The listing comes first: what is uploaded and indexed in between by others is then known.
  const std::vector<StoredPack> stored = HF_TRY(list_packs(repository, [](const std::string&) {}));
  const Survey known = HF_TRY(survey(
      keyed, {}, [](const CheckProgress&) {}, stop));
  // Packs that wait for their deletion are known too: nobody may rely on those anew.
  std::vector<bool> said(stored.size());
  for (uint32_t pack = 0; pack < known.packs.size(); ++pack)
    if (const StoredPack* there = find_pack(stored, known.pack_id(pack)))
      said[size_t(there - stored.data())] = true;
  IndexWriter writer(repository);
  uint64_t taken = 0;
  for (size_t i = 0; i < stored.size() && !stop.stop_requested(); ++i) {
    if (said[i]) continue;
    Result<std::vector<PackedBlob>> blobs = read_pack_header(keyed, stored[i].id, stored[i].size);
    // Half an upload is nobody's; gone meanwhile is nobody's either.
    if (!blobs &&
        (blobs.error().fault() == Fault::Corrupt || blobs.error().fault() == Fault::NotFound))
      continue;
    if (!blobs) return blobs.take_error();
    HF_TRY(writer.add({stored[i].id, blobs.take(), ""}));
    ++taken;
  }
  HF_TRY(writer.finish());
  return taken;
}

}  // namespace holdfast::repo
