/* Folders of the user's own socket that others could have made, or may write to. */
#define _GNU_SOURCE
#include "depot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRANGER = 65533, NOBODY = 65534 };

/* Makes the folder of a socket below another one, or a link to it, and expects the code of an attempt to connect. */
static int expect(const char *above, const char *name, mode_t mode, uid_t owner, const char *target, const char *code) {
  char folder[200], runtime[100];
  snprintf(runtime, sizeof runtime, "%s/%s", above, name);
  snprintf(folder, sizeof folder, "%s/depot", runtime);
  if (mkdir(runtime, 0755) != 0) return perror(runtime), 1;
  if (target ? symlink(target, folder) != 0 : mkdir(folder, 0700) != 0 || chmod(folder, mode) != 0)
    return perror(folder), 1;
  int is_root = getuid() == 0;
  if (is_root && lchown(folder, owner, owner) != 0) return perror("lchown"), 1;
  setenv("XDG_RUNTIME_DIR", runtime, 1);
  if (is_root && seteuid(NOBODY) != 0) return perror("seteuid"), 1;
  depot *client = NULL;
  struct depot_options options = {.patience_ms = -1};
  int opened = depot_open(&client, &options);
  const char *found = opened == 0 ? "connected" : depot_error(client)->code;
  int is_same = strcmp(found, code) == 0;
  if (!is_same) fprintf(stderr, "%s: %s, not %s\n", folder, found, code);
  depot_close(client);
  if (is_root && seteuid(0) != 0) return perror("seteuid"), 1;
  if (target) unlink(folder); else rmdir(folder);
  rmdir(runtime);
  return !is_same;
}

int main(void) {
  char above[] = "/tmp/depot-folders-XXXXXX", target[100];
  if (!mkdtemp(above) || chmod(above, 0755) != 0) return perror("mkdtemp"), 1;
  unsetenv("DEPOT_SOCKET");
  snprintf(target, sizeof target, "%s/target", above);
  if (mkdir(target, 0755) != 0) return perror(target), 1;
  int failures = expect(above, "own", 0700, NOBODY, NULL, "unavailable.service")
      + expect(above, "open", 0777, NOBODY, NULL, "permission.file")
      + expect(above, "sticky", 01777, NOBODY, NULL, "unavailable.service");
  if (getuid() == 0)
    failures += expect(above, "foreign", 0755, STRANGER, NULL, "permission.file")
        + expect(above, "linked", 0, STRANGER, target, "permission.file");
  rmdir(target);
  rmdir(above);
  return failures ? 1 : 0;
}
