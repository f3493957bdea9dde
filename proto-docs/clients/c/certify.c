/* Answers conformance/run.py client with this library, at the level of $DEPOT_CERTIFY. */
#include "depot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_object *parse(const char *text) { return json_tokener_parse(text); }

static json_object *get(json_object *object, const char *name) {
  json_object *value = NULL;
  json_object_object_get_ex(object, name, &value);
  return value;
}

static size_t count_of(json_object *array) {
  return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

/* NULL beyond the end, and of what is no array. */
static json_object *at(json_object *array, size_t place) {
  return place < count_of(array) ? json_object_array_get_idx(array, place) : NULL;
}

/* The arguments of an operation about the entity. */
static json_object *about(json_object *entity) {
  json_object *args = json_object_new_object();
  json_object_object_add(args, "entity", json_object_get(entity));
  return args;
}

/* The arguments of a query for rows whose attribute has a value. */
static json_object *having(json_object *entity, json_object *attribute, json_object *value) {
  json_object *args = about(entity), *where = parse("{\"==\":[{}]}");
  json_object *operands = get(where, "==");
  json_object_object_add(at(operands, 0), "attribute", json_object_get(attribute));
  json_object_array_add(operands, json_object_get(value));
  json_object_object_add(args, "where", where);
  return args;
}

static json_object *list(json_object *value) {
  json_object *result = json_object_new_array();
  json_object_array_add(result, json_object_get(value));
  return result;
}

static int ask_ids(depot *client, json_object *entity, json_object *ids) {
  json_object *args = about(entity);
  json_object_object_add(args, "ids", ids);
  json_object_object_add(args, "partial", json_object_new_boolean(1));
  json_object *result = depot_ask(client, "get", args, NULL);
  json_object_put(result);
  return result ? 0 : -1;
}

/* Streams rows; asks for the first one if `asks`, and stops at a row with 0 in the attribute if not. */
static int stream(depot *client, json_object *entity, json_object *attribute, json_object *value, int asks) {
  depot_call *call = depot_stream(client, "fetch", having(entity, attribute, value), NULL);
  json_object *row;
  int status = -1, count = 0;
  while (call && (status = depot_next_row(call, &row)) == 1) {
    json_object *found = depot_value(call, row, json_object_get_string(attribute));
    if (asks && count++ == 0 && ask_ids(client, entity, list(depot_value(call, row, "$id"))) != 0) break;
    if (!asks && json_object_get_int64(found) == 0) {
      depot_abandon(call);
      return 0;
    }
  }
  if (status != 0) return depot_abandon(call), -1;
  json_object *result = depot_finish(call);
  json_object_put(result);
  return result ? 0 : -1;
}

static int update(depot *client, json_object *entity, json_object *attribute, json_object *id, int deadline) {
  json_object *args = about(entity), *set = json_object_new_object();
  json_object_object_add(set, json_object_get_string(attribute), json_object_new_int(1));
  json_object_object_add(args, "ids", list(id));
  json_object_object_add(args, "set", set);
  struct depot_call_options options = {.deadline_ms = deadline};
  json_object *result = depot_write(client, "update", args, &options);
  json_object_put(result);
  return result ? 0 : -1;
}

static int order_and_key(depot *client, json_object *entity, json_object *attribute) {
  depot_call *calls[2];
  json_object *counts = json_object_new_array();
  int status = 0;
  for (int index = 0; index < 2; index++) {
    json_object *value = json_object_new_int(index + 1);
    calls[index] = depot_begin(client, "count", having(entity, attribute, value), NULL);
    json_object_put(value);
  }
  for (int index = 0; index < 2; index++) {
    json_object *result = calls[index] ? depot_finish(calls[index]) : NULL;
    if (result) json_object_array_add(counts, json_object_get(get(result, "count")));
    else status = -1;
    json_object_put(result);
  }
  if (status == 0) status = ask_ids(client, entity, json_object_get(counts));
  if (status == 0) {
    json_object *args = about(entity), *rows = json_object_new_array();
    json_object_array_add(rows, list(at(counts, 0)));
    json_object_object_add(args, "columns", list(attribute));
    json_object_object_add(args, "rows", rows);
    json_object *result = depot_write(client, "insert", args, NULL);
    status = result ? 0 : -1;
    json_object_put(result);
  }
  json_object_put(counts);
  return status;
}

static int watch(depot *client, json_object *entity, json_object *attribute) {
  json_object *query = parse("{\"fetch\":{\"sort\":[{}]}}"), *fetch = get(query, "fetch");
  json_object_object_add(fetch, "entity", json_object_get(entity));
  json_object_object_add(fetch, "select", list(attribute));
  json_object_object_add(at(get(fetch, "sort"), 0), "attribute", json_object_get(attribute));
  depot_watch *watching = depot_watch_begin(client, query, 4);
  int status = -1;
  while (watching && (status = depot_watch_next(watching)) == 0) {
    json_object *rows = depot_watch_rows(watching), *ids = json_object_new_array();
    size_t count = count_of(rows);
    for (size_t place = 0; place < count; place++)
      json_object_array_add(ids, json_object_get(at(at(rows, place), 0)));
    status = ask_ids(client, entity, ids);
    if (status != 0 || count == 0) break;
  }
  depot_watch_end(watching);
  return status;
}

static int half_close(depot *client, json_object *entity) {
  depot_call *call = depot_begin(client, "count", about(entity), NULL);
  if (!call) return -1;
  if (depot_end_sending(client) != 0) return depot_abandon(call), -1;
  json_object *result = depot_finish(call);
  if (!result) return -1;
  printf("%lld\n", (long long)json_object_get_int64(get(result, "count")));
  json_object_put(result);
  return 0;
}

static int level_two(depot *client, json_object *entity, json_object *attribute, json_object *ids) {
  if (stream(client, entity, attribute, at(ids, 0), 1) != 0) return -1;
  if (stream(client, entity, attribute, at(ids, 1), 0) != 0) return -1;
  json_object *count = depot_ask(client, "count", about(entity), NULL);
  if (!count) return -1;
  int limit = json_object_get_int(get(count, "count"));
  json_object_put(count);
  if (update(client, entity, attribute, at(ids, 2), limit) == 0) return -1;
  if (strcmp(depot_error(client)->code, "deadline.passed") != 0) return -1;
  if (update(client, entity, attribute, at(ids, 2), 0) != 0) return -1;
  if (order_and_key(client, entity, attribute) != 0) return -1;
  if (watch(client, entity, attribute) != 0) return -1;
  return half_close(client, entity);
}

/* Reads the four rows, and inserts them as they came; gives their new identifiers. */
static json_object *level_one(depot *client, json_object *entity, json_object *attributes) {
  json_object *columns = json_object_new_array(), *rows = json_object_new_array(), *row;
  for (size_t place = 0; place < count_of(attributes); place++)
    json_object_array_add(columns, json_object_get(get(at(attributes, place), "name")));
  json_object *args = about(entity);
  json_object_object_add(args, "ids", list(get(at(attributes, 0), "default")));
  json_object *first = depot_ask(client, "get", args, NULL);
  depot_call *call = NULL;
  int status = -1;
  if (first) {
    json_object *group = at(at(get(first, "rows"), 0), 2);
    call = depot_stream(client, "fetch", having(entity, at(columns, 0), group), NULL);
  }
  while (call && (status = depot_next_row(call, &row)) == 1) {
    json_object *copy = json_object_new_array();
    for (size_t place = 0; place < count_of(columns); place++) {
      const char *column = json_object_get_string(at(columns, place));
      json_object_array_add(copy, json_object_get(depot_value(call, row, column)));
    }
    json_object_array_add(rows, copy);
  }
  depot_abandon(call);
  json_object_put(first);
  args = about(entity);
  json_object_object_add(args, "columns", columns);
  json_object_object_add(args, "rows", rows);
  if (status != 0) return json_object_put(args), NULL;
  json_object *result = depot_write(client, "insert", args, NULL);
  json_object *ids = result ? json_object_get(get(result, "ids")) : NULL;
  json_object_put(result);
  return ids;
}

int main(void) {
  const char *level = getenv("DEPOT_CERTIFY");
  depot *client = NULL;
  int status = depot_open(&client, &(struct depot_options){.name = "certify"});
  json_object *schema = status == 0 ? depot_ask(client, "schema.get", NULL, NULL) : NULL;
  json_object *ids = NULL;
  status = -1;
  if (schema) {
    json_object *entity = at(get(get(schema, "schema"), "entities"), 0), *attributes = get(entity, "attributes");
    ids = level_one(client, get(entity, "name"), attributes);
    status = ids ? 0 : -1;
    if (ids && level && strcmp(level, "2") == 0)
      status = level_two(client, get(entity, "name"), get(at(attributes, 0), "name"), ids);
  }
  if (status != 0 && client) fprintf(stderr, "%s: %s\n", depot_error(client)->code, depot_error(client)->message);
  json_object_put(ids);
  json_object_put(schema);
  depot_close(client);
  return status == 0 ? 0 : 1;
}
