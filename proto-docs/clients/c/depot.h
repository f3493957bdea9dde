/* A client of Depot that waits, on libjson-c. README.md has an example; proto-docs tells the protocol.
 *
 * Processes: in one that is forked from the one that opened it, a `depot` connects anew, and what was open ends.
 * Threads: a `depot` and all that comes from it belong to one thread at a time. There is no global state, and
 * no signal handler is needed: a service that goes away is an error, not a SIGPIPE.
 *
 * Ownership: a `json_object *` that a function *takes* is put by it, whether it succeeds or fails; NULL is
 * taken as {}. One that it *gives* is the caller's, who puts it. One that it *lends* stays the library's.
 *
 * Failures: functions return -1 or NULL, and `depot_error` tells why. */
#ifndef DEPOT_H
#define DEPOT_H

#include <json-c/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A client. Its connection is made anew when it was lost; what was open then fails. */
typedef struct depot depot;

/* A call that was sent, and the frames that came for it. It must be finished or abandoned before its client is
 * closed. */
typedef struct depot_call depot_call;

/* A query whose rows are kept up to date, over as many connections as it takes. */
typedef struct depot_watch depot_watch;

/* When sending a request again can help. */
enum depot_retry { DEPOT_RETRY_NO, DEPOT_RETRY_NOW, DEPOT_RETRY_LATER, DEPOT_RETRY_AFTER_REFETCH };

/* What became of a write. After DEPOT_EFFECT_UNKNOWN the same request with the same key settles it. */
enum depot_effect { DEPOT_EFFECT_NONE, DEPOT_EFFECT_APPLIED, DEPOT_EFFECT_PARTIAL, DEPOT_EFFECT_UNKNOWN };

/* Why something failed.
 *
 * Act on `code`, a class and a reason as in "conflict.unique", and on `retry` and `effect`; `message` and `hint`
 * are for people. Besides those of the service there are unavailable.service (nobody answers),
 * unavailable.disconnected (the connection was lost, or silent for too long), request.usage (the socket's path
 * is too long), and limit.memory. */
struct depot_error {
  const char *code;
  const char *message;
  const char *hint; /* NULL if there is none. */
  const char *at;   /* The JSON pointer into the request, or NULL. */
  enum depot_retry retry;
  enum depot_effect effect;
  json_object *details; /* An object, or NULL. */
};

/* What a client is to be. All zero is good; texts are copied. */
struct depot_options {
  const char *path;      /* The socket; $DEPOT_SOCKET or the user's own if NULL. */
  const char *name;      /* The program, for the service's log; "c" if NULL. */
  const char *author;    /* Who the history says makes the writes; nobody if NULL. */
  const char *container; /* The container of calls that name none; the default one if NULL. */
  const char *access;    /* The most that the connection may do: "read", "write", "owner"; all if NULL. */
  unsigned credit;       /* How many frames of a stream may be on their way; 8 if 0. */
  int patience_ms;       /* How long writes and watches try again by themselves; 10,000 if 0, never if -1. */
  int timeout_ms;        /* How long the service may be silent while something is waited for; any time if 0. */
};

/* What a call may have besides its arguments. All zero is good. */
struct depot_call_options {
  int deadline_ms;       /* How long the service may take, from receipt; any time if 0. */
  const char *key;       /* The idempotency key of a write. */
  const char *pin;       /* The pin whose moment a read sees. */
  const char *container; /* The container of the call. */
  unsigned credit;       /* Of a call that streams: that of the client if 0. */
};

/* Connects, and says hello. Sets *client also on failure, so that `depot_error` tells why; it is NULL only if
 * there is no memory. Either way it is to be closed. `options` may be NULL. Returns 0 or -1. */
int depot_open(depot **client, const struct depot_options *options);

/* Closes the connection; what isn't committed is cancelled. NULL does nothing. */
void depot_close(depot *client);

/* Lends why the last function that failed did so; good until another one fails. */
const struct depot_error *depot_error(const depot *client);

/* Lends what the service said of itself: limits, features, store. Good until the connection is made anew. */
json_object *depot_welcome(depot *client);

/* Tells the service that nothing more is sent (shutdown(2)); answers to what was sent still come. Returns 0
 * or -1. */
int depot_end_sending(depot *client);

/* Calls an operation once, waits, and gives its result, or returns NULL. Takes `args`. `options` may be
 * NULL. */
json_object *depot_ask(depot *client, const char *operation, json_object *args,
                       const struct depot_call_options *options);

/* Calls an operation that changes something, with a key of its own if `options` has none. As long as the
 * client's patience lasts it is sent again, with that key, if the connection is lost or the service asks for a
 * later attempt: so it takes effect once. Takes `args`; gives the result, or returns NULL. */
json_object *depot_write(depot *client, const char *operation, json_object *args,
                         const struct depot_call_options *options);

/* Sends a call and doesn't wait for its answer. Takes `args`. Returns NULL on failure. */
depot_call *depot_begin(depot *client, const char *operation, json_object *args,
                        const struct depot_call_options *options);

/* The same for an operation that streams: it has credit, which `depot_next` renews. */
depot_call *depot_stream(depot *client, const char *operation, json_object *args,
                         const struct depot_call_options *options);

/* Waits for the next frame of a stream. Returns 1 and lends *frame until the next call about the stream; 0 at
 * the end; -1 on failure. Asking for the next frame says that the last one was used up. */
int depot_next(depot_call *call, json_object **frame);

/* Waits for the next row of a stream, an array of values. Returns and lends as `depot_next`; use one of the two. */
int depot_next_row(depot_call *call, json_object **row);

/* Lends a value of a row by the name of its column; NULL if it is null or there is no such column. */
json_object *depot_value(const depot_call *call, json_object *row, const char *column);

/* Lends the names of the columns, once a frame has come; NULL before. */
json_object *depot_columns(const depot_call *call);

/* Asks the service to end a call. It still ends by itself: what became of it is told by `depot_finish`. */
void depot_cancel(depot_call *call);

/* Waits for the end of a call, frees it, and gives its result, or returns NULL. Frames that weren't taken are
 * dropped. */
json_object *depot_finish(depot_call *call);

/* Cancels a call that hasn't ended, reads its end, and frees it. NULL does nothing. */
void depot_abandon(depot_call *call);

/* Watches what `query` says: an object with one of `fetch`, `count`, `aggregate`, and what else `watch` has.
 * Takes `query`. `credit` is how many frames may be on their way, that of the client if 0. Returns NULL if
 * there is no memory; the service is first asked by `depot_watch_next`. */
depot_watch *depot_watch_begin(depot *client, json_object *query, unsigned credit);

/* Waits until the rows are those of another moment, first those that there are. A lost connection is made anew,
 * and only what was missed is sent. Returns 0 or -1. */
int depot_watch_next(depot_watch *watch);

/* Lends the rows, arrays of values in their order; good until `depot_watch_next`. */
json_object *depot_watch_rows(const depot_watch *watch);

/* Lends the names of the columns; NULL before the first rows, and of counts. */
json_object *depot_watch_columns(const depot_watch *watch);

/* Lends the token of the moment of the rows; NULL before the first. */
const char *depot_watch_token(const depot_watch *watch);

/* Ends a watch, and frees it. NULL does nothing. */
void depot_watch_end(depot_watch *watch);

#ifdef __cplusplus
}
#endif

#endif
