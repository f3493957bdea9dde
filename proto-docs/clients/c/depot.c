/* The client of depot.h: a connection is bytes in, bytes out, and a list of open calls; whoever waits reads for
 * all of them. */
#define _GNU_SOURCE
#include "depot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The longest frame that is read, in bytes; a service announces its own limit, which is smaller. */
#define FRAME_LIMIT ((size_t)64 << 20)
/* The levels of a frame that is read. Requests have at most 64; a value of one lies deeper in a history. The
 * default of json-c is 32. */
#define DEPTH 128
#define DEFAULT_CREDIT 8
#define DEFAULT_PATIENCE 10000
#define JSON_FLAGS (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)

struct bytes {
  char *data;
  size_t start, count, room;
};

struct frame {
  json_object *json;
  struct frame *next;
};

/* A socket. It lives as long as its client uses it or a call of it is open. */
struct connection {
  int fd;
  pid_t owner; /* The process that opened it. */
  unsigned uses;
  bool is_draining; /* The service begins no more calls. */
  bool is_lost;     /* Nothing more comes; `reason` tells why. */
  json_object *reason;
  json_object *welcome;
  struct bytes in, out;
  int64_t last;
  depot_call *calls;
};

struct depot {
  char *path, *name, *author, *container, *access;
  unsigned credit;
  int patience, timeout;
  struct connection *connection; /* NULL before the first, and behind one that was given up. */
  bool was_connected;
  uint64_t dice;
  /* The last failure: the texts are lent by the object, or are constants. */
  json_object *failure;
  struct depot_error error;
};

struct depot_call {
  depot *client;
  struct connection *connection;
  int64_t id;
  bool has_ended; /* No frame of it comes any more. */
  bool owes;      /* A frame was lent for which credit is to be given back. */
  struct frame *first, *last; /* The frames that weren't taken. */
  json_object *lent, *columns;
  size_t row;
  depot_call *next;
};

struct depot_watch {
  depot *client;
  json_object *query;
  unsigned credit;
  depot_call *call;
  json_object *columns, *rows;
  json_object *snapshot; /* The rows of a snapshot that isn't whole, or NULL. */
  json_object *parts;    /* The frames of a change that isn't whole, or NULL. */
  char *token;
};

/* JSON. What the service sends may be anything, and json-c aborts if it is asked for the elements of what is no
 * array. */

static json_object *member(json_object *object, const char *name) {
  json_object *value = NULL;
  return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

static size_t length(json_object *array) {
  return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

static json_object *element(json_object *array, size_t place) {
  return place < length(array) ? json_object_array_get_idx(array, place) : NULL;
}

static const char *text_of(json_object *object, const char *name) {
  json_object *value = member(object, name);
  return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

/* Errors */

static json_object *new_error(const char *code, const char *retry, const char *effect, const char *hint,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

static json_object *new_error(const char *code, const char *retry, const char *effect, const char *hint,
                              const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  json_object *error = json_object_new_object();
  if (!error) return NULL;
  json_object_object_add(error, "code", json_object_new_string(code));
  json_object_object_add(error, "message", json_object_new_string(message));
  if (hint) json_object_object_add(error, "hint", json_object_new_string(hint));
  json_object_object_add(error, "retry", json_object_new_string(retry));
  json_object_object_add(error, "effect", json_object_new_string(effect));
  return error;
}

static json_object *new_loss(const char *message) {
  return new_error("unavailable.disconnected", "later", "unknown",
                   "A write may have been stored; send it again with the same key.", "%s", message);
}

static bool is_text(json_object *object, const char *name, const char *text) {
  const char *value = text_of(object, name);
  return value && strcmp(value, text) == 0;
}

static int place_of(const char *text, const char *const *names, int count) {
  for (int place = 0; text && place < count; place++)
    if (strcmp(text, names[place]) == 0) return place;
  return 0;
}

/* Notes why a function fails; takes the error. Returns -1. */
static int fail(depot *client, json_object *error) {
  static const char *const retries[] = {"no", "now", "later", "after_refetch"};
  static const char *const effects[] = {"none", "applied", "partial", "unknown"};
  json_object_put(client->failure);
  client->failure = error;
  client->error = (struct depot_error){.code = "limit.memory", .message = "There is no memory.",
                                       .effect = DEPOT_EFFECT_UNKNOWN};
  const char *code = error ? text_of(error, "code") : NULL;
  if (!code) return -1;
  const char *message = text_of(error, "message");
  client->error = (struct depot_error){
      .code = code,
      .message = message ? message : "",
      .hint = text_of(error, "hint"),
      .at = text_of(error, "at"),
      .retry = (enum depot_retry)place_of(text_of(error, "retry"), retries, 4),
      .effect = (enum depot_effect)place_of(text_of(error, "effect"), effects, 4),
      .details = member(error, "details"),
  };
  return -1;
}

static int fail_memory(depot *client) { return fail(client, NULL); }

const struct depot_error *depot_error(const depot *client) { return &client->error; }

/* Bytes */

/* Makes room for more bytes at the end. Returns whether there is memory. */
static bool reserve(struct bytes *bytes, size_t count) {
  if (bytes->start > 0) {
    memmove(bytes->data, bytes->data + bytes->start, bytes->count);
    bytes->start = 0;
  }
  if (bytes->room - bytes->count >= count) return true;
  size_t room = bytes->room ? bytes->room : 4096;
  while (room - bytes->count < count) room *= 2;
  char *data = realloc(bytes->data, room);
  if (!data) return false;
  bytes->data = data;
  bytes->room = room;
  return true;
}

/* Adds a frame with its length. Returns whether there is memory; `size` gets the bytes of its JSON. */
static bool append(struct bytes *bytes, json_object *frame, size_t limit, size_t *size) {
  size_t count = 0;
  const char *text = json_object_to_json_string_length(frame, JSON_FLAGS, &count);
  if (!text) return false;
  *size = count;
  if (count > limit) return true;
  if (!reserve(bytes, 4 + count)) return false;
  unsigned char *end = (unsigned char *)bytes->data + bytes->start + bytes->count;
  for (int byte = 0; byte < 4; byte++) end[byte] = (unsigned char)(count >> (24 - 8 * byte));
  memcpy(end + 4, text, count);
  bytes->count += 4 + count;
  return true;
}

/* Connections */

static void lose(struct connection *connection, json_object *reason) {
  if (connection->is_lost) {
    json_object_put(reason);
    return;
  }
  connection->is_lost = true;
  connection->reason = reason;
}

/* Leaves a connection to the process that this one was forked from. Returns whether it is good. */
static bool is_good(struct connection *connection) {
  if (connection->is_lost) return false;
  if (connection->owner == getpid()) return true;
  close(connection->fd);
  connection->fd = -1;
  connection->out.count = 0;
  lose(connection, new_loss("The connection belongs to the process that this one was forked from."));
  return false;
}

static void release(struct connection *connection) {
  if (!connection || --connection->uses > 0) return;
  if (connection->fd >= 0) close(connection->fd);
  json_object_put(connection->reason);
  json_object_put(connection->welcome);
  free(connection->in.data);
  free(connection->out.data);
  free(connection);
}

/* Has a frame sent without asking whether it may be; takes it. */
static void send_frame(struct connection *connection, json_object *frame) {
  size_t size = 0;
  if (!frame || !append(&connection->out, frame, FRAME_LIMIT, &size)) lose(connection, NULL);
  json_object_put(frame);
}

/* Has `more` or `cancel` sent for a call. */
static void control(depot_call *call, const char *member, json_object *value) {
  json_object *frame = json_object_new_object();
  if (!frame || !value) {
    json_object_put(value);
    json_object_put(frame);
    lose(call->connection, NULL);
    return;
  }
  json_object_object_add(frame, "id", json_object_new_int64(call->id));
  json_object_object_add(frame, member, value);
  send_frame(call->connection, frame);
}

static depot_call *call_with(struct connection *connection, int64_t id) {
  depot_call *call = connection->calls;
  while (call && call->id != id) call = call->next;
  return call;
}

/* Files a frame of the service; takes it. What isn't known is ignored. */
static void file(struct connection *connection, json_object *json) {
  json_object *value = NULL;
  if (json_object_object_get_ex(json, "id", &value)) {
    depot_call *call = call_with(connection, json_object_get_int64(value));
    struct frame *frame = call && !call->has_ended ? malloc(sizeof *frame) : NULL;
    if (!frame) {
      if (call && !call->has_ended) lose(connection, NULL);
      json_object_put(json);
      return;
    }
    *frame = (struct frame){.json = json};
    if (call->last) call->last->next = frame; else call->first = frame;
    call->last = frame;
    call->has_ended = json_object_object_get_ex(json, "ok", NULL) || json_object_object_get_ex(json, "err", NULL);
    return;
  }
  if (json_object_is_type(member(json, "err"), json_type_object)) {
    value = member(json, "err");
    /* A frame that was skipped is the one error behind which the connection goes on, and no such frame is sent.
     * Nobody knows what becomes of the calls that are open. */
    json_object_object_add(value, "effect", json_object_new_string("unknown"));
    lose(connection, json_object_get(value));
  } else if (json_object_object_get_ex(json, "welcome", &value)) {
    json_object_put(connection->welcome);
    connection->welcome = json_object_get(value);
  } else if (json_object_object_get_ex(json, "ping", &value)) {
    json_object *pong = json_object_new_object();
    if (pong) json_object_object_add(pong, "pong", json_object_get(value));
    send_frame(connection, pong);
  } else if (is_text(json, "event", "draining")) {
    connection->is_draining = true;
  }
  json_object_put(json);
}

/* Takes the frames out that have come whole. */
static void split(struct connection *connection) {
  struct bytes *in = &connection->in;
  while (in->count >= 4 && !connection->is_lost) {
    const unsigned char *begin = (const unsigned char *)in->data + in->start;
    size_t length = (size_t)begin[0] << 24 | (size_t)begin[1] << 16 | (size_t)begin[2] << 8 | begin[3];
    if (length > FRAME_LIMIT) {
    lose(connection, new_loss("The service sends a frame that is too large."));
    return;
  }
    if (in->count < 4 + length) return;
    json_tokener *tokener = json_tokener_new_ex(DEPTH);
    if (!tokener) {
    lose(connection, NULL);
    return;
  }
    json_object *json = json_tokener_parse_ex(tokener, (const char *)begin + 4, (int)length);
    bool is_whole = json_tokener_get_error(tokener) == json_tokener_success && json;
    json_tokener_free(tokener);
    in->start += 4 + length;
    in->count -= 4 + length;
    if (!is_whole || !json_object_is_type(json, json_type_object)) {
      json_object_put(json);
      lose(connection, new_loss("The service sends something else than JSON objects."));
      return;
    }
    file(connection, json);
  }
}

/* Reads what is there. Returns whether more may be. */
static bool read_once(struct connection *connection) {
  if (!reserve(&connection->in, 1 << 16)) return lose(connection, NULL), false;
  struct bytes *in = &connection->in;
  ssize_t count;
  do count = recv(connection->fd, in->data + in->count, in->room - in->count, 0);
  while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count <= 0) return lose(connection, new_loss("The service closed the connection.")), false;
  in->count += (size_t)count;
  split(connection);
  return !connection->is_lost;
}

/* Sends what the socket takes. */
static void write_once(struct connection *connection) {
  struct bytes *out = &connection->out;
  ssize_t count;
  do count = send(connection->fd, out->data + out->start, out->count, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count >= 0) {
    out->start += (size_t)count;
    out->count -= (size_t)count;
  } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
    /* What was sent before the close is still to be read, the reason for it too. */
    out->count = 0;
    while (read_once(connection)) {}
    lose(connection, new_loss("The service closed the connection."));
  }
}

static int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Waits until something was read or sent. */
static void turn(depot *client, struct connection *connection) {
  if (!is_good(connection)) return;
  struct pollfd poller = {.fd = connection->fd, .events = POLLIN};
  if (connection->out.count > 0) poller.events |= POLLOUT;
  int64_t end = now_ms() + client->timeout;
  int ready;
  do {
    int64_t left = end - now_ms();
    ready = poll(&poller, 1, client->timeout == 0 ? -1 : left > 0 ? (int)left : 0);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    lose(connection, new_loss("The service was silent for too long."));
    return;
  }
  if (ready < 0) {
    lose(connection, new_loss("The connection can't be waited for."));
    return;
  }
  if (poller.revents & POLLOUT) write_once(connection);
  if (poller.revents & (POLLIN | POLLHUP | POLLERR)) read_once(connection);
}

/* Sends all that is to be sent, and reads meanwhile: a service whose answers nobody takes reads no more. */
static void flush(depot *client, struct connection *connection) {
  if (connection->out.count > 0 && is_good(connection)) write_once(connection);
  while (connection->out.count > 0 && is_good(connection)) turn(client, connection);
}

static int unreachable(depot *client, int number) {
  return fail(client, new_error("unavailable.service", "later", "none", "Start one with: depotd",
                                "Nothing answers at %s: %s.", client->path, strerror(number)));
}

/* Returns a socket that is connected and doesn't block, or -1 with errno. */
static int open_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  int status;
  do status = connect(fd, (struct sockaddr *)&address, sizeof address);
  while (status < 0 && errno == EINTR);
  int flags = status < 0 ? -1 : fcntl(fd, F_GETFL);
  if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0) return fd;
  int number = errno;
  close(fd);
  errno = number;
  return -1;
}

static json_object *new_hello(const depot *client) {
  json_object *frame = json_object_new_object(), *hello = json_object_new_object();
  json_object *program = json_object_new_object(), *want = json_object_new_array();
  json_object *versions = json_object_new_array();
  if (!frame || !hello || !program || !versions || !want) {
    json_object *all[] = {frame, hello, program, versions, want};
    for (size_t index = 0; index < 5; index++) json_object_put(all[index]);
    return NULL;
  }
  json_object_array_add(versions, json_object_new_int(1));
  json_object_array_add(versions, json_object_new_int(1));
  json_object_array_add(want, json_object_new_string("credit"));
  json_object_object_add(program, "name", json_object_new_string(client->name));
  json_object_object_add(program, "language", json_object_new_string("c"));
  json_object_object_add(hello, "protocol", versions);
  json_object_object_add(hello, "client", program);
  json_object_object_add(hello, "want", want);
  if (client->author) json_object_object_add(hello, "author", json_object_new_string(client->author));
  if (client->container) json_object_object_add(hello, "container", json_object_new_string(client->container));
  if (client->access) json_object_object_add(hello, "access", json_object_new_string(client->access));
  json_object_object_add(frame, "hello", hello);
  return frame;
}

/* Makes a connection and says hello. Returns 0 or -1. */
static int open_connection(depot *client) {
  struct connection *connection = calloc(1, sizeof *connection);
  if (!connection) return fail_memory(client);
  connection->uses = 1;
  connection->owner = getpid();
  connection->fd = open_socket(client->path);
  if (connection->fd < 0) {
    int number = errno;
    release(connection);
    return unreachable(client, number);
  }
  send_frame(connection, new_hello(client));
  flush(client, connection);
  while (!connection->welcome && !connection->is_lost) turn(client, connection);
  if (connection->is_lost) {
    fail(client, json_object_get(connection->reason));
    release(connection);
    return -1;
  }
  client->connection = connection;
  client->was_connected = true;
  return 0;
}

/* Attempts */

struct attempts {
  int64_t end;
  int pause;
};

static struct attempts attempts_of(const depot *client) {
  return (struct attempts){.end = now_ms() + client->patience, .pause = 20};
}

/* Waits before another attempt, with pauses that double from 20 ms to 2 s. Returns whether there is one. */
static bool another(depot *client, struct attempts *attempts) {
  int64_t left = attempts->end - now_ms();
  if (client->error.retry != DEPOT_RETRY_LATER || left <= 0) return false;
  client->dice ^= client->dice << 13;
  client->dice ^= client->dice >> 7;
  client->dice ^= client->dice << 17;
  int64_t pause = attempts->pause / 2 + (int64_t)(client->dice % ((uint64_t)attempts->pause / 2 + 1));
  if (pause > left) pause = left;
  struct timespec time = {.tv_sec = pause / 1000, .tv_nsec = pause % 1000 * 1000000};
  while (nanosleep(&time, &time) < 0 && errno == EINTR) {}
  attempts->pause = attempts->pause < 1000 ? 2 * attempts->pause : 2000;
  return true;
}

/* Returns a connection on which calls can be begun, or NULL. */
static struct connection *connected(depot *client) {
  struct connection *connection = client->connection;
  if (connection && is_good(connection) && !connection->is_draining) return connection;
  /* What a service that is stopping still has to answer ends on its own connection. */
  release(connection);
  client->connection = NULL;
  if (!client->was_connected) return open_connection(client) == 0 ? client->connection : NULL;
  /* A service that was there may be about to come back. */
  struct attempts attempts = attempts_of(client);
  while (open_connection(client) != 0)
    if (!another(client, &attempts)) return NULL;
  return client->connection;
}

/* Clients */

static char *default_path(void) {
  const char *socket = getenv("DEPOT_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");
  char *path = NULL;
  if (socket && *socket) return strdup(socket);
  int count = folder && *folder ? asprintf(&path, "%s/depot/depot.sock", folder)
                                : asprintf(&path, "/tmp/depot-%u/depot.sock", (unsigned)getuid());
  return count < 0 ? NULL : path;
}

/* Returns why the folder of a socket isn't as safe as a user's own, or NULL: it belongs to another user, or is a link to
   one, or others may write to it. */
static json_object *distrust(const char *socket) {
  char folder[PATH_MAX];
  const char *end = strrchr(socket, '/');
  struct stat link, facts;
  uid_t user = geteuid();
  if (user == 0 || !end || end == socket || (size_t)(end - socket) >= sizeof folder) return NULL;
  memcpy(folder, socket, (size_t)(end - socket));
  folder[end - socket] = 0;
  if (lstat(folder, &link) != 0 || stat(folder, &facts) != 0) return NULL;
  uid_t owner = link.st_uid != 0 && link.st_uid != user ? link.st_uid : facts.st_uid;
  if (owner != 0 && owner != user)
    return new_error("permission.file", "no", "none", "Use a folder of your own.",
                     "%s belongs to user %u, not to %u or root.", folder, (unsigned)owner, (unsigned)user);
  /* The user's private group, whose number is that of the user, may write, too. */
  mode_t writers = facts.st_gid == user ? S_IWOTH : S_IWOTH | S_IWGRP;
  if (!(facts.st_mode & writers) || facts.st_mode & S_ISVTX) return NULL;
  return new_error("permission.file", "no", "none", "Take that right away with chmod go-w, or use a folder in it.",
                   "Others than user %u may write to the folder %s.", (unsigned)user, folder);
}

int depot_open(depot **result, const struct depot_options *given) {
  struct depot_options options = given ? *given : (struct depot_options){0};
  depot *client = *result = calloc(1, sizeof *client);
  if (!client) return -1;
  client->path = options.path ? strdup(options.path) : default_path();
  client->name = strdup(options.name ? options.name : "c");
  client->author = options.author ? strdup(options.author) : NULL;
  client->container = options.container ? strdup(options.container) : NULL;
  client->access = options.access ? strdup(options.access) : NULL;
  client->credit = options.credit ? options.credit : DEFAULT_CREDIT;
  client->patience = options.patience_ms == 0 ? DEFAULT_PATIENCE : options.patience_ms;
  client->timeout = options.timeout_ms > 0 ? options.timeout_ms : 0;
  if (getrandom(&client->dice, sizeof client->dice, 0) != sizeof client->dice || client->dice == 0) client->dice = 1;
  if (!client->path || !client->name || (options.author && !client->author)
      || (options.container && !client->container) || (options.access && !client->access))
    return fail_memory(client);
  if (strlen(client->path) >= sizeof((struct sockaddr_un *)0)->sun_path)
    return fail(client, new_error("request.usage", "no", "none", "A path of a socket has at most 107 bytes.",
                                  "The socket's path is too long: %s", client->path));
  if (!options.path && !(getenv("DEPOT_SOCKET") && *getenv("DEPOT_SOCKET"))) {
    json_object *refusal = distrust(client->path);
    if (refusal) return fail(client, refusal);
  }
  return open_connection(client);
}

void depot_close(depot *client) {
  if (!client) return;
  if (client->connection) lose(client->connection, new_loss("The connection was closed."));
  release(client->connection);
  json_object_put(client->failure);
  free(client->path);
  free(client->name);
  free(client->author);
  free(client->container);
  free(client->access);
  free(client);
}

json_object *depot_welcome(depot *client) {
  struct connection *connection = connected(client);
  return connection ? connection->welcome : NULL;
}

int depot_end_sending(depot *client) {
  struct connection *connection = connected(client);
  if (!connection) return -1;
  flush(client, connection);
  if (connection->is_lost) return fail(client, json_object_get(connection->reason));
  if (shutdown(connection->fd, SHUT_WR) == 0) return 0;
  lose(connection, new_loss("The service closed the connection."));
  return fail(client, json_object_get(connection->reason));
}

/* Calls */

static void add_text(json_object *object, const char *name, const char *text) {
  if (text) json_object_object_add(object, name, json_object_new_string(text));
}

/* Returns the frame of a call; takes the arguments. */
static json_object *new_call(int64_t id, const char *operation, json_object *args,
                             const struct depot_call_options *options, unsigned credit) {
  json_object *frame = json_object_new_object();
  if (!args) args = json_object_new_object();
  if (!frame || !args) {
    json_object_put(args);
    json_object_put(frame);
    return NULL;
  }
  json_object_object_add(frame, "id", json_object_new_int64(id));
  json_object_object_add(frame, "call", json_object_new_string(operation));
  json_object_object_add(frame, "args", args);
  if (options->deadline_ms > 0)
    json_object_object_add(frame, "deadlineMs", json_object_new_int(options->deadline_ms));
  if (credit > 0) json_object_object_add(frame, "credit", json_object_new_int64(credit));
  add_text(frame, "key", options->key);
  add_text(frame, "pin", options->pin);
  add_text(frame, "container", options->container);
  return frame;
}

static size_t limit_of(const struct connection *connection) {
  json_object *limits = NULL, *limit = NULL;
  if (json_object_object_get_ex(connection->welcome, "limits", &limits)
      && json_object_object_get_ex(limits, "frameBytes", &limit) && json_object_get_int64(limit) > 0)
    return (size_t)json_object_get_int64(limit);
  return FRAME_LIMIT;
}

static depot_call *begin(depot *client, const char *operation, json_object *args,
                         const struct depot_call_options *given, bool streams) {
  struct depot_call_options options = given ? *given : (struct depot_call_options){0};
  struct connection *connection = connected(client);
  depot_call *call = connection ? calloc(1, sizeof *call) : NULL;
  if (!call) {
    json_object_put(args);
    if (connection) fail_memory(client);
    return NULL;
  }
  unsigned credit = !streams ? 0 : options.credit ? options.credit : client->credit;
  json_object *frame = new_call(connection->last + 1, operation, args, &options, credit);
  size_t size = 0, limit = limit_of(connection);
  bool is_made = frame && append(&connection->out, frame, limit, &size);
  json_object_put(frame);
  if (!is_made || size > limit) {
    free(call);
    fail(client, is_made ? new_error("limit.frame_bytes", "no", "none", "Send fewer or smaller rows.",
                                     "A frame of %zu bytes is over the limit of %zu.", size, limit)
                         : NULL);
    return NULL;
  }
  *call = (depot_call){.client = client, .connection = connection, .id = ++connection->last,
                       .next = connection->calls};
  connection->calls = call;
  connection->uses++;
  flush(client, connection);
  return call;
}

depot_call *depot_begin(depot *client, const char *operation, json_object *args,
                        const struct depot_call_options *options) {
  return begin(client, operation, args, options, false);
}

depot_call *depot_stream(depot *client, const char *operation, json_object *args,
                         const struct depot_call_options *options) {
  return begin(client, operation, args, options, true);
}

static void free_call(depot_call *call) {
  depot_call **place = &call->connection->calls;
  while (*place != call) place = &(*place)->next;
  *place = call->next;
  while (call->first) {
    struct frame *frame = call->first;
    call->first = frame->next;
    json_object_put(frame->json);
    free(frame);
  }
  json_object_put(call->lent);
  json_object_put(call->columns);
  release(call->connection);
  free(call);
}

/* Waits for a frame of a call and lends it without taking it out. Returns NULL if the connection is lost before
 * one comes, which is noted as the failure. */
static json_object *peek(depot_call *call) {
  struct connection *connection = call->connection;
  while (!call->first && !connection->is_lost) {
    flush(call->client, connection);
    if (!call->first && !connection->is_lost) turn(call->client, connection);
  }
  if (call->first) return call->first->json;
  fail(call->client, json_object_get(connection->reason));
  return NULL;
}

/* Takes the frame out that `peek` lent, and gives it. */
static json_object *take(depot_call *call) {
  struct frame *frame = call->first;
  json_object *json = frame->json;
  call->first = frame->next;
  if (!call->first) call->last = NULL;
  free(frame);
  return json;
}

int depot_next(depot_call *call, json_object **frame) {
  *frame = NULL;
  if (call->owes && !call->has_ended && !call->connection->is_lost)
    control(call, "more", json_object_new_int(1));
  call->owes = false;
  json_object_put(call->lent);
  call->lent = NULL;
  call->row = 0;
  json_object *json = peek(call), *value = NULL;
  if (!json) return -1;
  if (json_object_object_get_ex(json, "ok", NULL)) return 0;
  if (json_object_object_get_ex(json, "err", &value)) return fail(call->client, json_object_get(value));
  *frame = call->lent = take(call);
  call->owes = true;
  if (json_object_object_get_ex(call->lent, "columns", &value)) {
    json_object_put(call->columns);
    call->columns = json_object_get(value);
  }
  return 1;
}

int depot_next_row(depot_call *call, json_object **row) {
  json_object *rows = NULL, *frame = NULL;
  *row = NULL;
  while (!call->lent || call->row >= length(rows = member(call->lent, "next"))) {
    int status = depot_next(call, &frame);
    if (status != 1) return status;
  }
  *row = element(rows, call->row++);
  return 1;
}

json_object *depot_columns(const depot_call *call) { return call->columns; }

static int place_in(json_object *columns, const char *column) {
  for (size_t place = 0; place < length(columns); place++) {
    const char *name = json_object_get_string(element(columns, place));
    if (name && column && strcmp(name, column) == 0) return (int)place;
  }
  return -1;
}

json_object *depot_value(const depot_call *call, json_object *row, const char *column) {
  int place = place_in(call->columns, column);
  return place < 0 ? NULL : element(row, (size_t)place);
}

void depot_cancel(depot_call *call) {
  if (call->has_ended || call->connection->is_lost) return;
  control(call, "cancel", json_object_new_boolean(1));
  flush(call->client, call->connection);
}

json_object *depot_finish(depot_call *call) {
  json_object *frame = NULL, *value = NULL, *result = NULL;
  int status;
  while ((status = depot_next(call, &frame)) == 1) {}
  if (status == 0 && (value = member(call->first->json, "ok"))) result = json_object_get(value);
  if (status == 0 && !result) fail(call->client, new_loss("The service sends an answer without a result."));
  free_call(call);
  return result;
}

void depot_abandon(depot_call *call) {
  if (!call) return;
  depot_cancel(call);
  /* Credit isn't given for what nobody wants. */
  call->owes = false;
  json_object *json, *end = NULL;
  struct depot_error error = call->client->error;
  json_object *failure = json_object_get(call->client->failure);
  while ((json = peek(call)) && !json_object_object_get_ex(json, "ok", &end)
         && !json_object_object_get_ex(json, "err", &end))
    json_object_put(take(call));
  /* That it was cancelled isn't a failure. */
  json_object_put(call->client->failure);
  call->client->failure = failure;
  call->client->error = error;
  free_call(call);
}

json_object *depot_ask(depot *client, const char *operation, json_object *args,
                       const struct depot_call_options *options) {
  depot_call *call = depot_begin(client, operation, args, options);
  return call ? depot_finish(call) : NULL;
}

json_object *depot_write(depot *client, const char *operation, json_object *args,
                         const struct depot_call_options *given) {
  struct depot_call_options options = given ? *given : (struct depot_call_options){0};
  char key[33];
  if (!options.key) {
    unsigned char random[16];
    ssize_t count;
    do count = getrandom(random, sizeof random, 0);
    while (count < 0 && errno == EINTR);
    if (count != sizeof random) {
      json_object_put(args);
      fail(client, new_error("unavailable.busy", "later", "none", NULL, "There are no random numbers for a key."));
      return NULL;
    }
    // A key that begins with the time is cheaper for the service.
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t milliseconds = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    for (size_t index = 0; index < 6; index++) random[index] = (unsigned char)(milliseconds >> (40 - 8 * index));
    for (size_t index = 0; index < sizeof random; index++) snprintf(key + 2 * index, 3, "%02x", random[index]);
    options.key = key;
  }
  struct attempts attempts = attempts_of(client);
  json_object *result;
  do result = depot_ask(client, operation, json_object_get(args), &options);
  while (!result && another(client, &attempts));
  json_object_put(args);
  return result;
}

/* Watches */

/* Adds all elements of one array to another. Returns whether there is memory. */
static bool extend(json_object *array, json_object *other) {
  for (size_t place = 0; place < length(other); place++)
    if (json_object_array_add(array, json_object_get(element(other, place))) != 0) return false;
  return true;
}

static bool is_same(json_object *left, json_object *right) { return json_object_equal(left, right) != 0; }

struct insertion {
  size_t at;
  json_object *row;
};

static int by_place(const void *left, const void *right) {
  size_t a = ((const struct insertion *)left)->at, b = ((const struct insertion *)right)->at;
  return (a > b) - (a < b);
}

/* Marks the place of a row that goes or moves. Returns whether the row is there. */
static bool mark(json_object *rows, char *gone, json_object *entry, json_object *id) {
  json_object *from = member(entry, "from");
  int64_t place = json_object_get_int64(from);
  if (place < 0 || (size_t)place >= length(rows) || !is_same(element(element(rows, (size_t)place), 0), id))
    return false;
  gone[place] = 1;
  return true;
}

/* Returns the rows after a change, whose frames are the parts; NULL if it doesn't fit the rows, or memory is
 * lacking. Takes out first, by the places before; then puts in, by the places after. */
static json_object *changed(json_object *rows, json_object *parts) {
  size_t total = 0;
  for (size_t part = 0; part < length(parts); part++) total += length(member(element(parts, part), "next"));
  char *gone = calloc(length(rows) + 1, 1);
  struct insertion *insertions = calloc(total + 1, sizeof *insertions);
  json_object *result = json_object_new_array();
  bool fits = gone && insertions && result;
  size_t count = 0;
  for (size_t part = 0; fits && part < length(parts); part++) {
    json_object *frame = element(parts, part), *removed = member(frame, "removed");
    json_object *changes = member(frame, "changes"), *next = member(frame, "next");
    for (size_t place = 0; fits && place < length(removed); place++)
      fits = mark(rows, gone, element(removed, place), member(element(removed, place), "id"));
    fits = fits && length(changes) == length(next);
    for (size_t place = 0; fits && place < length(next); place++) {
      json_object *change = element(changes, place), *row = element(next, place);
      if (member(change, "from")) fits = mark(rows, gone, change, element(row, 0));
      insertions[count++] = (struct insertion){(size_t)json_object_get_int64(member(change, "at")), row};
    }
  }
  if (fits) qsort(insertions, count, sizeof *insertions, by_place);
  size_t kept = 0, put = 0;
  for (size_t place = 0; fits; place++) {
    while (kept < length(rows) && gone[kept]) kept++;
    json_object *row = put < count && insertions[put].at == place ? insertions[put++].row
                       : kept < length(rows)                     ? element(rows, kept++)
                                                                 : NULL;
    if (!row) break;
    fits = json_object_array_add(result, json_object_get(row)) == 0;
  }
  fits = fits && put == count;
  free(gone);
  free(insertions);
  if (!fits) json_object_put(result);
  return fits ? result : NULL;
}

/* Adds rows to a map by their identifiers. Returns whether they have one each. */
static bool add_known(json_object *known, json_object *rows) {
  for (size_t place = 0; place < length(rows); place++) {
    json_object *row = element(rows, place);
    const char *id = json_object_get_string(element(row, 0));
    if (!id || json_object_object_add(known, id, json_object_get(row)) != 0) return false;
  }
  return true;
}

/* Returns the rows after a resume, whose frames are the parts; NULL as of `changed`. */
static json_object *resumed(json_object *rows, json_object *parts) {
  json_object *known = json_object_new_object(), *result = json_object_new_array();
  bool fits = known && result;
  fits = fits && add_known(known, rows);
  for (size_t part = 0; fits && part < length(parts); part++)
    fits = add_known(known, member(element(parts, part), "next"));
  for (size_t part = 0; fits && part < length(parts); part++) {
    json_object *order = member(element(parts, part), "order");
    for (size_t place = 0; fits && place < length(order); place++) {
      const char *id = json_object_get_string(element(order, place));
      json_object *row = id ? member(known, id) : NULL;
      fits = row && json_object_array_add(result, json_object_get(row)) == 0;
    }
  }
  json_object_put(known);
  if (!fits) json_object_put(result);
  return fits ? result : NULL;
}

/* Returns all rows of a count or an aggregate that changed, or NULL. */
static json_object *replaced(json_object *parts) {
  json_object *result = json_object_new_array();
  bool fits = result != NULL;
  for (size_t part = 0; fits && part < length(parts); part++)
    fits = extend(result, member(element(parts, part), "next"));
  if (!fits) json_object_put(result);
  return fits ? result : NULL;
}

static void set_rows(depot_watch *watch, json_object *rows) {
  json_object_put(watch->rows);
  watch->rows = rows;
}

static void forget(json_object **value) {
  json_object_put(*value);
  *value = NULL;
}

/* Drops what came only in part, and the call that it came for. */
static void drop(depot_watch *watch) {
  depot_abandon(watch->call);
  watch->call = NULL;
  forget(&watch->snapshot);
  forget(&watch->parts);
}

static bool keep_token(depot_watch *watch, json_object *frame) {
  const char *text = text_of(frame, "token");
  char *token = text ? strdup(text) : NULL;
  if (!token) return false;
  free(watch->token);
  watch->token = token;
  return true;
}

/* Takes a frame in. Returns 1 if the rows are then those of a moment, 0 if not, -1 if it doesn't fit. */
static int apply(depot_watch *watch, json_object *frame) {
  const char *kind = text_of(frame, "kind");
  json_object *columns = member(frame, "columns");
  if (columns) {
    json_object_put(watch->columns);
    watch->columns = json_object_get(columns);
  }
  if (!kind) return 0;
  if (strcmp(kind, "gap") == 0 || strcmp(kind, "snapshot") == 0) {
    if (strcmp(kind, "gap") == 0) {
      /* The rows stay those of the token until others are whole: `since` is about them. */
      forget(&watch->snapshot);
      forget(&watch->parts);
    }
    if (!watch->snapshot) watch->snapshot = json_object_new_array();
    return watch->snapshot && extend(watch->snapshot, member(frame, "next")) ? 0 : -1;
  }
  if (strcmp(kind, "live") == 0) {
    if (watch->snapshot) {
      set_rows(watch, watch->snapshot);
      watch->snapshot = NULL;
    }
    return keep_token(watch, frame) ? 1 : -1;
  }
  if (strcmp(kind, "mark") == 0) return keep_token(watch, frame) ? 0 : -1;
  bool is_resume = strcmp(kind, "resume") == 0;
  if (!is_resume && strcmp(kind, "change") != 0) return 0;
  if (!watch->parts) watch->parts = json_object_new_array();
  if (!watch->parts || json_object_array_add(watch->parts, json_object_get(frame)) != 0) return -1;
  if (json_object_get_boolean(member(frame, "more"))) return 0;
  json_object *rows = is_resume                  ? resumed(watch->rows, watch->parts)
                      : member(frame, "changes") ? changed(watch->rows, watch->parts)
                                                 : replaced(watch->parts);
  forget(&watch->parts);
  if (!rows) return -1;
  set_rows(watch, rows);
  /* Behind a resume comes `live`. */
  return !keep_token(watch, frame) ? -1 : is_resume ? 0 : 1;
}

depot_watch *depot_watch_begin(depot *client, json_object *query, unsigned credit) {
  depot_watch *watch = calloc(1, sizeof *watch);
  json_object *rows = json_object_new_array();
  if (!watch || !rows || !query) {
    free(watch);
    json_object_put(rows);
    json_object_put(query);
    fail_memory(client);
    return NULL;
  }
  *watch = (depot_watch){.client = client, .query = query, .credit = credit, .rows = rows};
  return watch;
}

/* Sends the call if there is none. Returns whether there is one. */
static bool ask_again(depot_watch *watch) {
  if (watch->call) return true;
  json_object *args = NULL;
  if (json_object_deep_copy(watch->query, &args, NULL) != 0) return fail_memory(watch->client), false;
  add_text(args, "since", watch->token);
  struct depot_call_options options = {.credit = watch->credit};
  watch->call = depot_stream(watch->client, "watch", args, &options);
  return watch->call != NULL;
}

int depot_watch_next(depot_watch *watch) {
  struct attempts attempts = attempts_of(watch->client);
  while (true) {
    json_object *frame = NULL;
    int status = ask_again(watch) ? depot_next(watch->call, &frame) : -1;
    if (status == 1) {
      attempts = attempts_of(watch->client);
      status = apply(watch, frame);
      if (status == 1) return 0;
      if (status == 0) continue;
      drop(watch);
      return fail(watch->client, new_loss("A change of a watch doesn't fit the rows that came before."));
    }
    drop(watch);
    if (status == 0) return fail(watch->client, new_loss("The service ended the watch."));
    if (!another(watch->client, &attempts)) return -1;
  }
}

json_object *depot_watch_rows(const depot_watch *watch) { return watch->rows; }

json_object *depot_watch_columns(const depot_watch *watch) { return watch->columns; }

const char *depot_watch_token(const depot_watch *watch) { return watch->token; }

void depot_watch_end(depot_watch *watch) {
  if (!watch) return;
  drop(watch);
  json_object_put(watch->query);
  json_object_put(watch->columns);
  json_object_put(watch->rows);
  free(watch->token);
  free(watch);
}
