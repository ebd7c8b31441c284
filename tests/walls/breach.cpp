// Walls as this test's own program has them: the file that $HOLDFAST_BREACH names lists those that
// are taken away, one on each line. It is read anew each time, so that one server serves all
// attacks. Movers have no environment but their task: there a tag, or a word of a command,
// `breach=NAME` of the move takes the wall away.
#include <holdfast/base/walls.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace holdfast {

bool wall_stands(std::string_view name) {
  const char* task = std::getenv("HOLDFAST_MOVE");
  if (task != nullptr &&
      std::strstr(task, ("\"breach=" + std::string(name) + '"').c_str()) != nullptr)
    return false;
  const char* file = std::getenv("HOLDFAST_BREACH");
  if (file == nullptr) return true;
  std::ifstream taken(file);
  for (std::string line; std::getline(taken, line);)
    if (line == name) return false;
  return true;
}

}  // namespace holdfast
