/*
 * A slow or failing disk for one process, loaded before the C library (LD_PRELOAD). It stands before the calls that
 * write, read and sync files whose paths match PETS_TEST_DISK_FILES (shell patterns, separated by colons; `*` also
 * matches `/`), and obeys the mapped control file in PETS_TEST_DISK_CONTROL, so that a test can switch it while the
 * process runs.
 * test/support/disk/disk.ts builds it and writes the control file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { READS, WRITES, SYNCS, KINDS };

/* The control file. disk.ts knows the same layout. */
struct control {
  double delay_ms;             /* what a sync takes longer */
  double probability[KINDS];   /* that a call of a kind fails */
  double error;                /* errno of a failed write or sync; a failed read is always EIO */
  double seed;
  _Atomic uint64_t failed[KINDS]; /* how many calls of each kind were failed: written here, read by the test */
};

static struct control *control;
static char *patterns;
static _Atomic uint64_t drawn;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("PETS_TEST_DISK_CONTROL");
  const char *files = getenv("PETS_TEST_DISK_FILES");
  int fd = path != NULL && files != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  patterns = strdup(files);
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) control = mapped;
  close(fd);
}

static int matches(int fd) {
  char link[32], path[4096], pattern[256];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  for (const char *rest = patterns; *rest != 0;) {
    size_t end = strcspn(rest, ":");
    snprintf(pattern, sizeof pattern, "%.*s", (int)end, rest);
    if (fnmatch(pattern, path, 0) == 0) return 1;
    rest += end + (rest[end] == ':');
  }
  return 0;
}

/* The next number from 0 to 1: the same ones for the same seed, whatever thread draws them (splitmix64). */
static double draw(void) {
  uint64_t z = (uint64_t)control->seed + atomic_fetch_add(&drawn, 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* Whether this call is to fail; if so, errno says why. */
static int fails(int kind, int fd) {
  if (control == NULL || control->probability[kind] <= 0 || !matches(fd)) return 0;
  if (draw() >= control->probability[kind]) return 0;
  atomic_fetch_add(&control->failed[kind], 1);
  errno = kind == READS ? EIO : (int)control->error;
  return 1;
}

static void wait_for_disk(int fd) {
  if (control == NULL || control->delay_ms <= 0 || !matches(fd)) return;
  struct timespec left = {(time_t)(control->delay_ms / 1e3), 0};
  left.tv_nsec = (long)((control->delay_ms - (double)left.tv_sec * 1e3) * 1e6);
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* The C library's own function of a name. */
#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define READ_AT(name, offset_type) \
  ssize_t name(int fd, void *into, size_t count, offset_type offset) { \
    REAL(name); \
    return fails(READS, fd) ? -1 : real(fd, into, count, offset); \
  }

/* A write that fails has written its first half, as a disk may. */
#define WRITE_AT(name, offset_type) \
  ssize_t name(int fd, const void *from, size_t count, offset_type offset) { \
    REAL(name); \
    if (!fails(WRITES, fd)) return real(fd, from, count, offset); \
    int error = errno; \
    (void)real(fd, from, count / 2, offset); \
    errno = error; \
    return -1; \
  }

#define TRUNCATE(name, offset_type) \
  int name(int fd, offset_type length) { \
    REAL(name); \
    return fails(WRITES, fd) ? -1 : real(fd, length); \
  }

#define ALLOCATE(name, offset_type) \
  int name(int fd, int mode, offset_type offset, offset_type length) { \
    REAL(name); \
    return fails(WRITES, fd) ? -1 : real(fd, mode, offset, length); \
  }

#define SYNC(name) \
  int name(int fd) { \
    REAL(name); \
    wait_for_disk(fd); \
    return fails(SYNCS, fd) ? -1 : real(fd); \
  }

/* SQLite goes on without a map when there is none. Where reads are to fail, they must be calls. */
#define MAP(name, offset_type) \
  void *name(void *at, size_t length, int access, int flags, int fd, offset_type offset) { \
    REAL(name); \
    if (fd < 0 || access != PROT_READ || control == NULL || getenv("PETS_TEST_DISK_UNMAPPED") == NULL || !matches(fd)) \
      return real(at, length, access, flags, fd, offset); \
    errno = ENOMEM; \
    return MAP_FAILED; \
  }

READ_AT(pread, off_t)
READ_AT(pread64, off64_t)
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)
ALLOCATE(fallocate, off_t)
ALLOCATE(fallocate64, off64_t)
SYNC(fsync)
SYNC(fdatasync)
MAP(mmap, off_t)
MAP(mmap64, off64_t)

ssize_t write(int fd, const void *from, size_t count) {
  REAL(write);
  return fails(WRITES, fd) ? -1 : real(fd, from, count);
}
