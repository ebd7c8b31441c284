// Loaded before the C library (LD_PRELOAD) into a server: each sync of its journal takes a random time longer, as on a
// disk that others keep busy. HOLDFAST_SYNC_MS is the longest.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int is_journal(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/state.db") != NULL;
}

static void delay(int fd) {
  const char* longest = getenv("HOLDFAST_SYNC_MS");
  unsigned random = 0;
  if (longest == NULL || !is_journal(fd) || getrandom(&random, sizeof random, 0) != sizeof random) return;
  const long ms = (long)(random % (unsigned)(atoi(longest) + 1));
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

typedef int Sync(int);

int fsync(int fd) {
  delay(fd);
  return ((Sync*)dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  delay(fd);
  return ((Sync*)dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
