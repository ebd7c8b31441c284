// `unlock`: removal of locks whose process is gone.
#include "repo/verb.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {

void add_unlock(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("unlock", "removes locks of processes that are gone");
  auto all = std::make_shared<bool>(false);
  verb->add_flag("--remove-all", *all, "also locks whose process may still run");
  verbs.run(verb, [all](Session& session) -> Result<int> {
    repo::Opened* repository = HF_TRY(session.open(LockKind::None));
    const int removed = HF_TRY(repo::unlock(*repository, *all));
    if (removed > 0) session.out().remark(fmt::format("removed {} locks", removed));
    return kDone;
  });
}

}  // namespace holdfast::cli
