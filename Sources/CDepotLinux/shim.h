#pragma once
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <time.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

// Swift's Glibc module is built without _GNU_SOURCE, which hides `struct ucred` and accept4(2);
// defining it here would make two modules disagree about the same types.

struct depot_peer {
  int pid;
  unsigned int uid;
  unsigned int gid;
};

static inline int depot_peer_credentials(int descriptor, struct depot_peer *peer) {
  socklen_t size = sizeof *peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, peer, &size);
}

static inline int depot_peer_groups(int descriptor, unsigned int *groups, socklen_t *size) {
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, size);
}

// accept4(2), declared here because the declaration in <sys/socket.h> needs _GNU_SOURCE.
static inline int depot_accept(int descriptor) {
  return (int)syscall(SYS_accept4, descriptor, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// The linker's names for the beginning of a program and the end of its code; a library has none.
extern const char __executable_start[] __attribute__((weak));
extern const char etext[] __attribute__((weak));

// Unmaps the program's code, which comes back page by page as it is needed: see madvise(2). There is
// nothing before the end of the code that the program has changed.
static inline void depot_unmap_code(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t start = (uintptr_t)__executable_start / page * page, end = (uintptr_t)etext / page * page;
  if (start && start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

// Variadic in C, so Swift can't call them: fcntl(2), open(2), and ioctl(2).

// A program may have closed its standard descriptors, and still write to them.
static inline int depot_beyond_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  int code = errno;
  close(descriptor);
  errno = code;
  return moved;
}

static inline int depot_open(const char *path, int flags, unsigned int mode) {
  return depot_beyond_standard(open(path, flags | O_CLOEXEC, mode));
}

static inline int depot_open_inherited(const char *path, int flags) { return open(path, flags); }

static inline int depot_set_nonblocking(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? flags : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

static inline int depot_set_close_on_exec(int descriptor) {
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// pthread_setname_np(3) needs _GNU_SOURCE.
int pthread_setname_np(pthread_t thread, const char *name);
static inline int depot_name_thread(pthread_t thread, const char *name) {
  return pthread_setname_np(thread, name);
}

// POSIX_SPAWN_SETSID and posix_spawn_file_actions_addclosefrom_np(3) need _GNU_SOURCE.
static inline int depot_spawn_setsid(void) { return 0x80; }
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
static inline int depot_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}


// Glibc's module has both a struct and a function of these names, which Swift can't tell apart.

static inline long depot_file_system_type(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) < 0 ? -1 : (long)status.f_type;
}

static inline long long depot_free_bytes(const char *path) {
  struct statvfs status;
  if (statvfs(path, &status) < 0) return -1;
  return (long long)(geteuid() == 0 ? status.f_bfree : status.f_bavail) * (long long)status.f_frsize;
}

static inline int depot_is_read_only(const char *path) {
  struct statvfs status;
  return statvfs(path, &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

static inline long long depot_file_size(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) < 0 ? -1 : (long long)status.st_size;
}

static inline int depot_lock_exclusively(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB);
}

static inline int depot_lock_shared(int descriptor) {
  return flock(descriptor, LOCK_SH | LOCK_NB);
}

static inline int depot_unlock(int descriptor) {
  return flock(descriptor, LOCK_UN);
}

static inline int depot_terminal_width(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// The macros of control messages can't be used from Swift: sendmsg(2) and recvmsg(2) with SCM_RIGHTS.

union depot_passed {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(253 * sizeof(int))];
};

static inline long depot_send_descriptors(
    int socket, const void *bytes, unsigned long size, const int *numbers, int count) {
  union depot_passed control = {0};
  struct iovec part = {(void *)bytes, size};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), numbers, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

static inline long depot_receive_descriptors(
    int socket, void *bytes, unsigned long size, int *numbers, int *count) {
  union depot_passed control = {0};
  struct iovec part = {bytes, size};
  struct msghdr message = {0};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  long received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  *count = 0;
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int passed = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(numbers + *count, CMSG_DATA(header), passed * sizeof(int));
    *count += passed;
  }
  return received;
}

static inline int depot_terminal_height(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

// sched_getattr(2) and sched_setattr(2), which the C library doesn't have. For ordinary threads the
// runtime is the slice in nanoseconds (Linux 6.12; before, it is 0 and ignored).
struct depot_schedule {
  unsigned int size;
  unsigned int policy;
  unsigned long long flags;
  int nice;
  unsigned int priority;
  unsigned long long runtime;
  unsigned long long deadline;
  unsigned long long period;
};

static inline int depot_get_schedule(struct depot_schedule *schedule) {
  return (int)syscall(SYS_sched_getattr, 0, schedule, sizeof *schedule, 0);
}

static inline int depot_set_schedule(struct depot_schedule *schedule) {
  return (int)syscall(SYS_sched_setattr, 0, schedule, 0);
}

// What the Swift runtime reads weak references with, which Swift code may not name: returns NULL if an
// object has ended whose memory lasts because of unowned references.
extern void *swift_tryRetain(void *object);

static inline void *depot_retain_if_alive(void *object) { return swift_tryRetain(object); }

// Locks of an open file description (fcntl(2), F_OFD_SETLK), which other processes' POSIX locks heed and
// which no other close(2) of this process ends; they need _GNU_SOURCE.
static inline int depot_lock_range(int descriptor, short kind, long first, long count) {
  struct flock range = {0};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;
  return fcntl(descriptor, 37, &range);
}

// The arguments of main(3), which Swift's own list is without when the environment has moved
// before the program runs. The C library passes it to constructors too; this one comes into programs
// through the function that names it.
struct depot_start {
  int count;
  char **arguments;
};

static inline struct depot_start *depot_start(void) {
  static struct depot_start start;
  return &start;
}

__attribute__((constructor)) static void depot_note_start(int count, char **arguments) {
  depot_start()->count = count;
  depot_start()->arguments = arguments;
}

static inline struct depot_start depot_noted_start(void) {
  if (depot_start()->count == 0) depot_note_start(0, 0);
  return *depot_start();
}
