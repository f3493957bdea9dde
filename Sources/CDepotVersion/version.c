#include "CDepotVersion.h"

#define TEXT(token) #token
#define TEXT_OF(token) TEXT(token)

#ifdef DEPOT_COMMIT
const char *depotCommit(void) { return TEXT_OF(DEPOT_COMMIT); }
#else
const char *depotCommit(void) { return ""; }
#endif
