/* Two processes that use one client after a fork, with the service at $DEPOT_SOCKET. */
#define _POSIX_C_SOURCE 200809L
#include "depot.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 100 };

static int failed(depot *client, const char *step) {
  fprintf(stderr, "%s: %s\n", step, depot_error(client)->message);
  return 1;
}

static json_object *arguments(const char *format, const char *name, int number) {
  char text[200];
  snprintf(text, sizeof text, format, name, number);
  return json_tokener_parse(text);
}

/* Stores rows and counts them, one by one. */
static int work(depot *client, const char *name) {
  for (int number = 0; number < COUNT; number++) {
    json_object *row = arguments("{\"entity\":\"Fork\",\"columns\":[\"name\"],\"rows\":[[\"%s-%d\"]]}", name, number);
    json_object *stored = depot_write(client, "insert", row, NULL);
    if (!stored) return failed(client, "insert");
    json_object_put(stored);
    json_object *query = arguments("{\"entity\":\"Fork\",\"where\":\"name == '%s-%d'\"}", name, number);
    json_object *answer = depot_ask(client, "count", query, NULL), *count = NULL;
    if (!answer) return failed(client, "count");
    int found = json_object_object_get_ex(answer, "count", &count) ? json_object_get_int(count) : -1;
    json_object_put(answer);
    if (found != 1) return fprintf(stderr, "%s-%d: %d\n", name, number, found), 1;
  }
  return 0;
}

static int count(depot *client) {
  json_object *answer = depot_ask(client, "count", json_tokener_parse("{\"entity\":\"Fork\"}"), NULL);
  json_object *count = NULL;
  int result = answer && json_object_object_get_ex(answer, "count", &count) ? json_object_get_int(count) : -1;
  json_object_put(answer);
  return result;
}

static int run(depot *client) {
  const char *schema = "{\"schema\":{\"entities\":[{\"name\":\"Fork\",\"attributes\":"
                       "[{\"name\":\"name\",\"type\":\"string\"}]}]}}";
  json_object *defined = depot_write(client, "schema.define", json_tokener_parse(schema), NULL);
  if (!defined) return failed(client, "schema.define");
  json_object_put(defined);
  depot_call *begun = depot_begin(client, "count", json_tokener_parse("{\"entity\":\"Fork\"}"), NULL);
  if (!begun) return failed(client, "begin");
  pid_t child = fork();
  if (child < 0) return perror("fork"), 1;
  if (child == 0) {
    /* What was begun ends here, and only here. */
    json_object *answer = depot_finish(begun);
    if (answer || strcmp(depot_error(client)->code, "unavailable.disconnected") != 0) {
      json_object_put(answer);
      return fprintf(stderr, "The child has the answer to a call of its parent.\n"), 1;
    }
    return work(client, "child");
  }
  int status = work(client, "parent"), ended = -1;
  json_object *answer = depot_finish(begun);
  if (!answer) status = failed(client, "finish");
  json_object_put(answer);
  if (waitpid(child, &ended, 0) != child || ended != 0) status = 1;
  int all = count(client);
  if (all == 2 * COUNT) return status;
  return fprintf(stderr, "There are %d rows.\n", all), 1;
}

int main(void) {
  depot *client;
  int status = depot_open(&client, NULL) == 0 ? run(client) : 1;
  depot_close(client);
  return status;
}
