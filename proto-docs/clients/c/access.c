/* Connections that may only read, or read and write, to the service at $DEPOT_SOCKET. */
#include "depot.h"

#include <stdio.h>
#include <string.h>

/* Connects, calls an operation, and expects the code of its failure, or "none". */
static int expect(const char *access, const char *operation, const char *args, const char *code) {
  struct depot_options options = {.access = access, .patience_ms = -1};
  depot *client = NULL;
  const char *found = "none";
  if (depot_open(&client, &options) != 0) {
    found = depot_error(client)->code;
  } else {
    /* Only changes of rows and schemas have keys. */
    int has_key = strcmp(operation, "count") != 0 && strcmp(operation, "compact") != 0;
    json_object *answer = (has_key ? depot_write : depot_ask)(client, operation, json_tokener_parse(args), NULL);
    if (!answer) found = depot_error(client)->code;
    json_object_put(answer);
  }
  int is_same = strcmp(found, code) == 0;
  if (!is_same) fprintf(stderr, "%s as %s: %s, not %s\n", operation, access ? access : "all", found, code);
  depot_close(client);
  return !is_same;
}

int main(void) {
  const char *schema = "{\"schema\":{\"entities\":[{\"name\":\"Note\",\"attributes\":"
                       "[{\"name\":\"text\",\"type\":\"string\"}]}]}}";
  const char *row = "{\"entity\":\"Note\",\"columns\":[\"text\"],\"rows\":[[\"a\"]]}";
  int failures = expect(NULL, "schema.define", schema, "none")
      + expect("write", "insert", row, "none")
      + expect("write", "compact", "{}", "permission.op")
      + expect("read", "count", "{\"entity\":\"Note\"}", "none")
      + expect("read", "insert", row, "permission.op")
      + expect("everything", "count", "{\"entity\":\"Note\"}", "request.usage");
  return failures ? 1 : 0;
}
