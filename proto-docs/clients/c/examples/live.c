/* Notes in the service at $DEPOT_SOCKET: one client watches them, another one writes. */
#include "depot.h"

#include <stdio.h>

static int write_text(depot *client, const char *operation, const char *args) {
  json_object *result = depot_write(client, operation, json_tokener_parse(args), NULL);
  json_object_put(result);
  if (result) return 0;
  fprintf(stderr, "%s: %s\n", depot_error(client)->code, depot_error(client)->message);
  return -1;
}

static int live(depot *reader, depot *writer) {
  static const char *const steps[][2] = {
      {"insert", "{\"entity\":\"Note\",\"columns\":[\"text\"],\"rows\":[[\"milk\"],[\"bread\"]]}"},
      {"update", "{\"entity\":\"Note\",\"where\":\"text == 'milk'\",\"set\":{\"text\":\"oat milk\"}}"},
      {"delete", "{\"entity\":\"Note\",\"where\":\"text == 'bread'\"}"},
  };
  const char *schema =
      "{\"schema\":{\"entities\":[{\"name\":\"Note\",\"attributes\":[{\"name\":\"text\",\"type\":\"string\"}]}]}}";
  if (write_text(writer, "schema.define", schema) != 0) return -1;
  if (write_text(writer, "delete", "{\"entity\":\"Note\",\"where\":true}") != 0) return -1;

  const char *query = "{\"fetch\":{\"entity\":\"Note\",\"sort\":[{\"attribute\":\"text\"}]}}";
  depot_watch *watch = depot_watch_begin(reader, json_tokener_parse(query), 0);
  int status = -1;
  for (size_t step = 0; watch && (status = depot_watch_next(watch)) == 0; step++) {
    json_object *rows = depot_watch_rows(watch);
    printf("%zu:", json_object_array_length(rows));
    for (size_t place = 0; place < json_object_array_length(rows); place++)
      printf(" %s", json_object_get_string(json_object_array_get_idx(json_object_array_get_idx(rows, place), 2)));
    printf("\n");
    if (step == sizeof steps / sizeof *steps) break;
    if ((status = write_text(writer, steps[step][0], steps[step][1])) != 0) break;
  }
  if (status != 0) fprintf(stderr, "%s: %s\n", depot_error(reader)->code, depot_error(reader)->message);
  depot_watch_end(watch);
  return status;
}

int main(void) {
  depot *reader, *writer;
  int status = depot_open(&reader, &(struct depot_options){.name = "reader"});
  if (depot_open(&writer, &(struct depot_options){.name = "writer"}) != 0) status = -1;
  if (status == 0) status = live(reader, writer);
  else fprintf(stderr, "There is no service.\n");
  depot_close(writer);
  depot_close(reader);
  return status == 0 ? 0 : 1;
}
