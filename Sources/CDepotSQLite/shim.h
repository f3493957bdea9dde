#pragma once
// The library has the hook; its header tells only who asks.
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <malloc.h>
#include <sqlite3.h>

// Swift can't import SQLITE_TRANSIENT and SQLITE_STATIC, which are casts, nor call variadics.
// An empty Swift buffer may have a null base address, which SQLite would bind as NULL.

// Binds text that the caller keeps alive until the statement is reset.
static inline int depot_bind_static_text(sqlite3_stmt *stmt, int index, const void *bytes,
                                         long count) {
  return sqlite3_bind_text64(stmt, index, bytes ? bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

// Binds a blob that the caller keeps alive until the statement is reset.
static inline int depot_bind_static_blob(sqlite3_stmt *stmt, int index, const void *bytes,
                                         long count) {
  return sqlite3_bind_blob64(stmt, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline int depot_bind_text(sqlite3_stmt *stmt, int index, const void *bytes, long count) {
  return sqlite3_bind_text64(stmt, index, bytes ? bytes : "", count, SQLITE_TRANSIENT,
                             SQLITE_UTF8);
}

static inline int depot_bind_blob(sqlite3_stmt *stmt, int index, const void *bytes, long count) {
  return sqlite3_bind_blob64(stmt, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline void depot_result_text(sqlite3_context *context, const void *bytes, long count) {
  sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Returns text that the caller keeps alive until the statement has read the row.
static inline void depot_result_static_text(sqlite3_context *context, const void *bytes,
                                            long count) {
  sqlite3_result_text64(context, bytes ? bytes : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

// Returns a blob that the caller keeps alive until the statement has read the row.
static inline void depot_result_static_blob(sqlite3_context *context, const void *bytes,
                                            long count) {
  sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_STATIC);
}

static inline void depot_result_blob(sqlite3_context *context, const void *bytes, long count) {
  sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Sets a switch of one connection, such as SQLITE_DBCONFIG_DEFENSIVE.
static inline int depot_db_config(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// Leaves out the statistics of memory, which cost a mutex for every allocation.
static inline int depot_configure_sqlite(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
