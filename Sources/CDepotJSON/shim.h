#pragma once
// json-c is the oracle that the tests hold our own scanner against; no product links it.
#include <json-c/json.h>
