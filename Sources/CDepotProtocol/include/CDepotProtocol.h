#ifndef CDEPOTPROTOCOL_H
#define CDEPOTPROTOCOL_H

/// Returns the text of `proto-docs/protocol.json`, which the compiler puts into the program.
const char *depotProtocolDocument(void);

#endif
