/// Cuts of volumes, described: how the application is quiesced, how long it took, the verdict, and
/// what becomes of claims in a revert or restore.
#pragma once

#include <holdfast/cli/server.h>
#include <holdfast/cli/sheet.h>
#include <holdfast/protect/cut/members.h>
#include <holdfast/protect/cut/verdict.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// "StatefulSet db of namespace shop": whose volumes are cut.
std::string members_text(const protect::Members& members);
/// "profile mariadb → cut → …": what is done to the application, in its order.
std::string order_text(const protect::Quiescing& how);
/// The same with its deadline: for what an object always does.
std::string way_text(const protect::Quiescing& how);

/// Of a backup: what its claims hold, without their logs; nothing where that is not known.
std::optional<uint64_t> bytes_of(const std::vector<protect::ClaimRecord>& claims);

/// What would be cut, in which order and with whose rights.
std::string inputs_text(const protect::CutInputs& inputs);

/// A cut that was made, as the status of its object tells it.
struct CutTold {
  std::optional<protect::Verdict> verdict{};
  const model::Array& operations;  ///< records, the window's among them
  const std::vector<protect::Owed>& owed;
};
void tell_cut(Sheet& sheet, const CutTold& cut);
/// A table of the claims of which something was made: the names of that, in the same order.
void tell_claims(Sheet& sheet, const std::vector<protect::ClaimRecord>& claims,
                 const std::vector<std::string>& snapshots);

/// The volume of a claim now; "" if there is none.
using VolumeOf = std::function<std::string(const std::string& ns, const std::string& claim)>;
VolumeOf volumes_now(Server& server);

enum class BroughtBack { FromSnapshots, FromBackup };
/// A line for each claim that gets a new volume, and which it has now, that is kept. `into`: its
/// namespace then; "" = its own.
std::string replacing_text(const std::vector<protect::ClaimRecord>& claims, BroughtBack from,
                           const std::string& into, const VolumeOf& volume_of);

}  // namespace holdfast::cli
