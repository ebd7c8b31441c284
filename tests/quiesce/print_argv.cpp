/// Prints the argv of a quiescing script, each word ended by a zero byte, for tests that run it:
///
///     print_argv guard DEADLINE [WORDS… ;]…
///     print_argv session DEADLINE WORD…
///     print_argv command nothing|output|input NONCE WORD…
///     print_argv presync PATH…
///     print_argv profile NAME BUDGET_MS DEADLINE OPTION…
///
/// Options: read-lock, per-volume, or a mount path.
#include <holdfast/protect/cut/profiles.h>
#include <holdfast/protect/trailer.h>

#include "quiesce/scripts.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;
using namespace holdfast;

Words guard(std::chrono::seconds deadline, const Words& words) {
  std::vector<Words> posts;
  Words post;
  for (const std::string& word : words) {
    if (word != ";") {
      post.push_back(word);
      continue;
    }
    posts.push_back(post);
    post.clear();
  }
  return protect::guard_command(posts, deadline);
}

Words profile(const std::string& name, int budget, int deadline, const Words& words) {
  protect::ProfileOptions options;
  options.budget = std::chrono::milliseconds(budget);
  options.deadline = std::chrono::seconds(deadline);
  for (const std::string& word : words) {
    options.read_lock = options.read_lock || word == "read-lock";
    options.atomic_cut = options.atomic_cut && word != "per-volume";
    if (word.front() == '/') options.mount_paths.push_back(word);
  }
  return session_command(*protect::find_profile(name), options);
}

Words from(const Words& argv, size_t first) { return {argv.begin() + long(first), argv.end()}; }

Words argv_of(const Words& asked) {
  const std::string& what = asked.at(0);
  if (what == "command") {
    const protect::Counted counted = asked.at(1) == "output"  ? protect::Counted::Output
                                     : asked.at(1) == "input" ? protect::Counted::Input
                                                              : protect::Counted::Nothing;
    return protect::with_trailer(from(asked, 3), counted, asked.at(2));
  }
  if (what == "presync") return protect::presync_command(from(asked, 1));
  if (what == "profile")
    return profile(asked.at(1), std::atoi(asked.at(2).c_str()), std::atoi(asked.at(3).c_str()),
                   from(asked, 4));
  const std::chrono::seconds deadline(std::atoi(asked.at(1).c_str()));
  if (what == "guard") return guard(deadline, from(asked, 2));
  return protect::watched_session(from(asked, 2), deadline);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& word : argv_of({argv + 1, argv + argc}))
    std::fwrite(word.c_str(), 1, word.size() + 1, stdout);
  return 0;
}
