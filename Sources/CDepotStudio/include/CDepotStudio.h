#ifndef CDEPOTSTUDIO_H
#define CDEPOTSTUDIO_H

#include <stddef.h>

/// A file that the compiler puts into the program.
struct DepotStudioFile {
  /// The path under which the page finds it, without the first slash.
  const char *name;
  const unsigned char *bytes;
  size_t count;
};

/// Returns how many files there are.
size_t depotStudioFileCount(void);

/// Returns one of them by its position.
struct DepotStudioFile depotStudioFile(size_t position);

#endif
