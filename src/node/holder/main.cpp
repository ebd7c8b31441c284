// Holder of a PID namespace: its first process. When the shim goes the kernel kills this one, and
// with it all that runs in the namespace, whatever those processes do to prevent it.
//
//   holder        reaps what ends in the namespace that a pod's containers share
//   holder PID    ends as this child of its does: 128 + N for signal N
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  prctl(PR_SET_DUMPABLE, 0);
  const pid_t child = count > 1 ? atoi(words[1]) : 0;
  if (child == 0) signal(SIGCHLD, SIG_IGN);
  for (int status = 0;;) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == child && child != 0)
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (ended < 0 && errno == ECHILD) pause();
  }
}
