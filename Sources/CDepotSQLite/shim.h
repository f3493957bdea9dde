#pragma once
// The library has the hook; its header tells only who asks.
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <malloc.h>
#include <sqlite3.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

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

// Whether the processor has the instruction for CRC-32C that depot_page_lanes uses.
static inline int depot_has_crc32c(void) {
#if defined(__x86_64__)
  unsigned a, b, c = 0, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
#elif defined(__aarch64__)
  return (getauxval(AT_HWCAP) & (1 << 7)) != 0;
#else
  return 0;
#endif
}

// Adds words, whose number is a multiple of eight, to four sums of CRC-32C in turn: each waits for its
// last step only.
#if defined(__x86_64__)
#define DEPOT_CRC32C(sum, word) sum = __builtin_ia32_crc32di(sum, word)
__attribute__((target("sse4.2")))
#elif defined(__aarch64__)
#define DEPOT_CRC32C(sum, word) sum = __builtin_arm_crc32cd((uint32_t)sum, word)
__attribute__((target("crc")))
#else
#define DEPOT_CRC32C(sum, word) sum ^= word
#endif
static inline void depot_page_lanes(const uint64_t *words, long count, uint64_t sums[4]) {
  uint64_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
  for (const uint64_t *end = words + count; words < end; words += 8) {
    DEPOT_CRC32C(a, words[0]);
    DEPOT_CRC32C(b, words[1]);
    DEPOT_CRC32C(c, words[2]);
    DEPOT_CRC32C(d, words[3]);
    DEPOT_CRC32C(a, words[4]);
    DEPOT_CRC32C(b, words[5]);
    DEPOT_CRC32C(c, words[6]);
    DEPOT_CRC32C(d, words[7]);
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}
