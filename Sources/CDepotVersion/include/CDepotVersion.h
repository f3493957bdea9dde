#ifndef CDEPOTVERSION_H
#define CDEPOTVERSION_H

/// Returns the commit of the sources as a hexadecimal number; empty if the build wasn't given one.
const char *depotCommit(void);

#endif
