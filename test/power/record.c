/*
 * Records what a process does to the files below one folder, loaded before the C library (LD_PRELOAD): creations,
 * writes with their data, truncations, names that come and go, and syncs. Each is one record, appended to one log by
 * all threads and processes after the call has returned; a record of a sync says how long the log was when the call
 * began, so what it covers is known. test/power/record.ts builds this and knows the layout.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, FOLDER, WRITE, TRUNCATE, RENAME, LINK, UNLINK, SYNC };

/* Before the paths and the data of a record. */
struct head {
  uint32_t length; /* of the whole record, in bytes */
  uint32_t kind;
  uint64_t inode;
  uint64_t at;    /* WRITE: where in the file; TRUNCATE: its new length; SYNC: the length of the log when it began */
  uint32_t first; /* the lengths of two paths, which follow; data fills the rest */
  uint32_t second;
};

static int log_fd = -1;
static char root[PATH_MAX];

/* The C library's own function of a name. */
#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
  const char *log = getenv("PETS_TEST_RECORD_LOG");
  const char *folder = getenv("PETS_TEST_RECORD_FOLDER");
  if (log == NULL || folder == NULL || realpath(folder, root) == NULL) return;
  log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
}

/* A record that cannot be kept would make a state that never was look possible. */
static void append(int kind, uint64_t inode, uint64_t at, const char *first, const char *second, const void *data, size_t size) {
  struct head head = {0, (uint32_t)kind, inode, at, (uint32_t)strlen(first), (uint32_t)strlen(second)};
  head.length = (uint32_t)(sizeof head + head.first + head.second + size);
  struct iovec parts[] = {
    {&head, sizeof head}, {(void *)first, head.first}, {(void *)second, head.second}, {(void *)data, size}};
  if (syscall(SYS_writev, log_fd, parts, 4) != (long)head.length) abort();
}

/* Where a path leads, without following its last part; whether that is below the folder. */
static int below(const char *path, char *found) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path), slash == NULL ? "." : path);
  char resolved[PATH_MAX];
  if (log_fd < 0 || realpath(folder, resolved) == NULL) return 0;
  if (snprintf(found, PATH_MAX, "%s/%s", resolved, slash == NULL ? path : slash + 1) >= PATH_MAX) return 0;
  return strncmp(found, root, strlen(root)) == 0 && found[strlen(root)] == '/';
}

/* The same for an open file or folder, of which the folder itself counts too. SQLite rebuilds the index of its log. */
static int is_recorded(int fd, char *path, struct stat *status) {
  if (log_fd < 0 || fd == log_fd || fstat(fd, status) != 0) return 0;
  if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode)) return 0;
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t end = strlen(root);
  if (strncmp(path, root, end) != 0 || (path[end] != '/' && path[end] != 0)) return 0;
  return strstr(strrchr(path, '/'), "-shm") == NULL;
}

static void wrote(int fd, const void *data, ssize_t size, off64_t at) {
  int error = errno;
  char path[PATH_MAX];
  struct stat status;
  if (size > 0 && is_recorded(fd, path, &status)) append(WRITE, status.st_ino, (uint64_t)at, "", "", data, (size_t)size);
  errno = error;
}

static void truncated(int fd, off64_t length) {
  char path[PATH_MAX];
  struct stat status;
  if (is_recorded(fd, path, &status)) append(TRUNCATE, status.st_ino, (uint64_t)length, "", "", NULL, 0);
}

/* What came into a file without passing through this process. */
static void copied(int fd, off64_t at, ssize_t size) {
  int error = errno;
  char path[PATH_MAX];
  struct stat status;
  if (size > 0 && is_recorded(fd, path, &status)) {
    char *data = malloc((size_t)size);
    if (data == NULL) abort();
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    int reading = (int)syscall(SYS_openat, AT_FDCWD, self, O_RDONLY | O_CLOEXEC, 0);
    if (syscall(SYS_pread64, reading, data, size, at) != size) abort();
    close(reading);
    append(WRITE, status.st_ino, (uint64_t)at, "", "", data, (size_t)size);
    free(data);
  }
  errno = error;
}

static void opened(int fd, int was_there, int flags) {
  int error = errno;
  char path[PATH_MAX];
  struct stat status;
  if (fd >= 0 && is_recorded(fd, path, &status) && S_ISREG(status.st_mode)) {
    if (!was_there) append(CREATE, status.st_ino, 0, path, "", NULL, 0);
    else if ((flags & O_TRUNC) != 0) append(TRUNCATE, status.st_ino, 0, "", "", NULL, 0);
  }
  errno = error;
}

static int is_there(int folder, const char *path) {
  struct stat status;
  int error = errno;
  int found = fstatat(folder, path, &status, 0) == 0;
  errno = error;
  return found;
}

#define MODE \
  va_list rest; \
  va_start(rest, flags); \
  mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
  va_end(rest)

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    MODE; \
    int was_there = (flags & O_CREAT) == 0 || is_there(AT_FDCWD, path); \
    int fd = real(path, flags, mode); \
    if ((flags & (O_CREAT | O_TRUNC)) != 0) opened(fd, was_there, flags); \
    return fd; \
  }

#define OPEN_AT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    MODE; \
    int was_there = (flags & O_CREAT) == 0 || is_there(folder, path); \
    int fd = real(folder, path, flags, mode); \
    if ((flags & (O_CREAT | O_TRUNC)) != 0) opened(fd, was_there, flags); \
    return fd; \
  }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

#define WRITE_TO(name, offset_type) \
  ssize_t name(int fd, const void *from, size_t count, offset_type at) { \
    REAL(name); \
    ssize_t size = real(fd, from, count, at); \
    wrote(fd, from, size, at); \
    return size; \
  }

WRITE_TO(pwrite, off_t)
WRITE_TO(pwrite64, off64_t)

ssize_t write(int fd, const void *from, size_t count) {
  REAL(write);
  ssize_t size = real(fd, from, count);
  if (log_fd >= 0 && size > 0) wrote(fd, from, size, lseek64(fd, 0, SEEK_CUR) - size);
  return size;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev);
  ssize_t size = real(fd, parts, count);
  if (log_fd >= 0 && size > 0) copied(fd, lseek64(fd, 0, SEEK_CUR) - size, size);
  return size;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(pwritev);
  ssize_t size = real(fd, parts, count, at);
  copied(fd, at, size);
  return size;
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t count, unsigned flags) {
  REAL(copy_file_range);
  ssize_t size = real(from, from_at, to, to_at, count, flags);
  if (log_fd >= 0 && size > 0) copied(to, (to_at != NULL ? *to_at : lseek64(to, 0, SEEK_CUR)) - size, size);
  return size;
}

#define SEND(name, offset_type) \
  ssize_t name(int to, int from, offset_type *at, size_t count) { \
    REAL(name); \
    ssize_t size = real(to, from, at, count); \
    if (log_fd >= 0 && size > 0) copied(to, lseek64(to, 0, SEEK_CUR) - size, size); \
    return size; \
  }

SEND(sendfile, off_t)
SEND(sendfile64, off64_t)

#define SHORTEN(name, offset_type) \
  int name(int fd, offset_type length) { \
    REAL(name); \
    int result = real(fd, length); \
    if (result == 0) truncated(fd, length); \
    return result; \
  }

SHORTEN(ftruncate, off_t)
SHORTEN(ftruncate64, off64_t)

#define SYNC_OF(name) \
  int name(int fd) { \
    REAL(name); \
    struct stat before = {0}, status; \
    char path[PATH_MAX]; \
    if (log_fd >= 0) fstat(log_fd, &before); \
    int result = real(fd); \
    if (result == 0 && is_recorded(fd, path, &status)) \
      append(SYNC, status.st_ino, (uint64_t)before.st_size, path, "", NULL, 0); \
    return result; \
  }

SYNC_OF(fsync)
SYNC_OF(fdatasync)

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  char found[PATH_MAX];
  int result = real(path, mode);
  if (result == 0 && below(path, found)) append(FOLDER, 0, 0, found, "", NULL, 0);
  return result;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  char first[PATH_MAX], second[PATH_MAX];
  int is_recorded = below(from, first) && below(to, second);
  int result = real(from, to);
  if (result == 0 && is_recorded) append(RENAME, 0, 0, first, second, NULL, 0);
  return result;
}

int link(const char *from, const char *to) {
  REAL(link);
  char first[PATH_MAX], second[PATH_MAX];
  int result = real(from, to);
  if (result == 0 && below(from, first) && below(to, second)) append(LINK, 0, 0, first, second, NULL, 0);
  return result;
}

#define GONE(call) \
  char found[PATH_MAX]; \
  int is_recorded = below(path, found); \
  int result = call; \
  if (result == 0 && is_recorded) append(UNLINK, 0, 0, found, "", NULL, 0); \
  return result

int unlink(const char *path) {
  REAL(unlink);
  GONE(real(path));
}

int rmdir(const char *path) {
  REAL(rmdir);
  GONE(real(path));
}

int remove(const char *path) {
  REAL(remove);
  GONE(real(path));
}

int unlinkat(int folder, const char *path, int flags) {
  REAL(unlinkat);
  if (folder == AT_FDCWD) {
    GONE(real(folder, path, flags));
  }
  return real(folder, path, flags);
}
