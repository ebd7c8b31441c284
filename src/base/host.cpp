// Host name and identity of this process, from the system.
#include <holdfast/base/host.h>

#include <pwd.h>
#include <unistd.h>

#include <vector>

namespace holdfast {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

Identity identity() {
  constexpr size_t kMostEntry = 16384;
  Identity out{std::to_string(getuid()), getuid(), getgid(), getpid()};
  std::vector<char> buffer(kMostEntry);
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    out.user = entry.pw_name;
  return out;
}

}  // namespace holdfast
