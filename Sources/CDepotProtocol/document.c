#include "CDepotProtocol.h"

static const char document[] = {
#embed "../../proto-docs/protocol.json"
    , 0};

const char *depotProtocolDocument(void) { return document; }
