/* Books in the service at $DEPOT_SOCKET: a schema, rows, a query, a change, and an error. */
#include "depot.h"

#include <stdio.h>
#include <string.h>

static json_object *get(json_object *object, const char *name) {
  json_object *value = NULL;
  json_object_object_get_ex(object, name, &value);
  return value;
}

/* Calls an operation with arguments that are written as JSON; prints why if it fails. */
static json_object *write_text(depot *client, const char *operation, const char *args) {
  json_object *result = depot_write(client, operation, json_tokener_parse(args), NULL);
  if (!result) fprintf(stderr, "%s: %s\n", depot_error(client)->code, depot_error(client)->message);
  return result;
}

static int shelf(depot *client) {
  static const char *const steps[][2] = {
      {"schema.define", "{\"schema\":{\"entities\":[{\"name\":\"Book\",\"attributes\":["
                        "{\"name\":\"title\",\"type\":\"string\",\"unique\":true},"
                        "{\"name\":\"year\",\"type\":\"int64\"}]}]}}"},
      {"delete", "{\"entity\":\"Book\",\"where\":true}"},
      {"insert", "{\"entity\":\"Book\",\"columns\":[\"title\",\"year\"],"
                 "\"rows\":[[\"Dune\",1965],[\"Emma\",1815],[\"Ulysses\",1922]]}"},
      {"update", "{\"entity\":\"Book\",\"where\":\"title == 'Emma'\",\"set\":{\"year\":1816}}"},
  };
  for (size_t index = 0; index < sizeof steps / sizeof *steps; index++) {
    json_object *result = write_text(client, steps[index][0], steps[index][1]);
    if (!result) return -1;
    json_object_put(result);
  }

  const char *query = "{\"entity\":\"Book\",\"where\":\"year < 1950\",\"sort\":[{\"attribute\":\"year\"}]}";
  depot_call *books = depot_stream(client, "fetch", json_tokener_parse(query), NULL);
  if (!books) return -1;
  json_object *row;
  while (depot_next_row(books, &row) == 1)
    printf("%s %lld\n", json_object_get_string(depot_value(books, row, "title")),
           (long long)json_object_get_int64(depot_value(books, row, "year")));
  json_object *result = depot_finish(books);
  if (!result) return -1;
  printf("%lld rows\n", (long long)json_object_get_int64(get(result, "rows")));
  json_object_put(result);

  const char *again = "{\"entity\":\"Book\",\"columns\":[\"title\",\"year\"],\"rows\":[[\"Dune\",1984]]}";
  if (depot_ask(client, "insert", json_tokener_parse(again), NULL)) return -1;
  const struct depot_error *error = depot_error(client);
  printf("%s %s\n", error->code, json_object_get_string(get(error->details, "existing")));
  return strcmp(error->code, "conflict.unique") == 0 ? 0 : -1;
}

int main(void) {
  depot *client;
  int status = depot_open(&client, &(struct depot_options){.name = "shelf"});
  if (status == 0) status = shelf(client);
  if (status != 0 && client) fprintf(stderr, "%s: %s\n", depot_error(client)->code, depot_error(client)->message);
  depot_close(client);
  return status == 0 ? 0 : 1;
}
