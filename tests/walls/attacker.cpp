// Attacks that a shell cannot make: attacker WHAT [ARGUMENTS…], static, so that it runs in any
// image. Each prints "got NAME" when the kernel let it, and "refused NAME: why" otherwise.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace {

int say(const char* name, long result) {
  if (result < 0)
    printf("refused %s: %s\n", name, strerror(errno));
  else
    printf("got %s\n", name);
  return result < 0 ? 1 : 0;
}

/// Two names change places for so long, without a pause: what one look finds, the next does not.
int swap(const char* one, const char* other, const char* seconds) {
  constexpr unsigned kExchange = 2;
  const time_t end = time(nullptr) + atoi(seconds);
  while (time(nullptr) < end)
    for (int i = 0; i < 1000; ++i)
      if (syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, kExchange) != 0)
        return say("swap", -1);
  return say("swap", 0);
}

/// Lives on as long as it can; `mark` is how it is found.
int be_deaf(const char*) {
  prctl(PR_SET_PDEATHSIG, 0);
  for (int each = 1; each < 32; ++each) signal(each, SIG_IGN);
  for (;;) pause();
}

}  // namespace

int main(int count, char** words) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  const char* what = count > 1 ? words[1] : "";
  if (strcmp(what, "swap") == 0 && count == 5) return swap(words[2], words[3], words[4]);
  if (strcmp(what, "deaf") == 0 && count == 3) return be_deaf(words[2]);
  fprintf(stderr, "attacker: no such attack: %s\n", what);
  return 2;
}
