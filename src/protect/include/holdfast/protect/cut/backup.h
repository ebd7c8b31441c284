/// Backup of a cut: a DataMove for each of its snapshots, one for the catalogue, which is written
/// last, and those that bring them back or forget them. Pure.
#pragma once

#include <holdfast/protect/catalogue.h>
#include <holdfast/protect/cut/cut_inputs.h>
#include <holdfast/protect/use_move.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// The inputs of a cut, and where its backup goes.
struct BackupInputs : CutInputs {
  std::optional<Reference> location{};
  std::string repository{}, nonce{};
  template <class V>
  void fields(V& v) {
    CutInputs::fields(v);
    v.optional("location", location, "BackupLocation of the backup");
    v.optional("repository", repository,
               "name of the repository of the backup; empty: that of the members' namespace");
    v.optional("nonce", nonce, "value in a tag of all snapshots of the backup, drawn at the start");
  }
};

/// Where the data moves of the backup are: with the object in `ns` that makes it, out of reach of
/// who may write where the claims are. A run that was begun before that was so has put its uploads
/// beside the claims.
const std::string& moves_ns(const BackupInputs& inputs, const std::string& ns);
/// Name of the repository that the backup is in.
const std::string& repository_of(const BackupInputs& inputs);

struct CutBackup {
  const BackupInputs& inputs;
  CatalogueTags tags;
  std::string ns{};       ///< of the object that makes it
  std::string subject{};  ///< NAMESPACE/NAME of what is backed up
  std::string id{};
};

/// Of the claim in that place, whose snapshot has that name.
DataMove upload_of(const CutBackup& backup, size_t claim, const std::string& snapshot);
/// `catalogue`: the time and the verdict; the rest stands in the inputs and in the uploads that are
/// there, in the order of the claims (null: none). It expects to find all of them.
DataMove catalogue_of(const CutBackup& backup, Catalogue catalogue,
                      const std::vector<const UsedMove*>& uploads);
/// Takes out of the repository what the backup has put there, in whatever attempt, also if it
/// failed.
DataMove forget_of(const CutBackup& backup);
/// Fills `claim`, which is in the namespace `claim_ns`, with the backup of the claim in that place.
DataMove download_of(const CutBackup& backup, size_t from, const std::string& claim_ns,
                     const std::string& claim);

}  // namespace holdfast::protect
