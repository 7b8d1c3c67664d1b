/*
 * Preloaded into a process: logs what it does to the files of one folder, and ends the process at a chosen sync, as a power
 * cut does. log-reader.ts reads the log.
 *
 * RECORD_FOLDER: the folder, without links in its path. RECORD_LOG: the file that events are appended to.
 * RECORD_CONTROL: a file of two numbers of 64 bits, the sync after which the process ends (0: none) and the syncs so far.
 *
 * Not logged: SQLite's "-shm" files, which are mapped into memory and made anew from the log after a start; and
 * sync_file_range, which promises nothing after a power cut (its manual) and so is no sync here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MADE_FILE = 1, MADE_FOLDER, WROTE, CUT_OFF, RENAMED, REMOVED, SYNCED };

/* Before each event: then the name, and `length` bytes of WROTE (what was written) and RENAMED (the new name). */
struct event {
  uint32_t kind, name_length;
  uint64_t inode, offset, length;
};

/* Above the numbers that shells and programs choose for themselves. */
#define LOG_NUMBER 900

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_length;
static int log_file = -1;
static volatile uint64_t *control;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static void fail(const char *what) {
  perror(what);
  _exit(70);
}

__attribute__((constructor)) static void begin(void) {
  const char *log = getenv("RECORD_LOG"), *numbers = getenv("RECORD_CONTROL");
  folder = getenv("RECORD_FOLDER");
  if (!folder || !log || !numbers) return;
  int file = REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || (log_file = fcntl(file, F_DUPFD_CLOEXEC, LOG_NUMBER)) < 0) fail(log);
  close(file);
  if ((file = REAL(open)(numbers, O_RDWR | O_CLOEXEC)) < 0) fail(numbers);
  control = mmap(NULL, 2 * sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (control == MAP_FAILED) fail(numbers);
  close(file);
  folder_length = strlen(folder);
}

/* The path below the folder ("" for itself), or NULL where it is elsewhere or not logged. */
static const char *below(const char *path) {
  if (log_file < 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  size_t length = strlen(path);
  if (length == folder_length) return "";
  if (path[folder_length] != '/' || (length > 4 && strcmp(path + length - 4, "-shm") == 0)) return NULL;
  return path + folder_length + 1;
}

static const char *path_of(int file, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  buffer[length < 0 ? 0 : length] = '\0';
  return below(buffer);
}

static const char *path_at(int directory, const char *path, char *buffer) {
  if (path[0] == '/') return below(path);
  char base[PATH_MAX], link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = directory == AT_FDCWD ? readlink("/proc/self/cwd", base, PATH_MAX - 1) : readlink(link, base, PATH_MAX - 1);
  if (length < 0) return NULL;
  base[length] = '\0';
  snprintf(buffer, 2 * PATH_MAX, "%s/%s", base, path);
  return below(buffer);
}

/* Where a file with this number is one of the folder's: its inode. */
static int is_logged(int file, uint64_t *inode) {
  char buffer[PATH_MAX];
  struct stat found;
  if (log_file < 0 || !path_of(file, buffer) || fstat(file, &found) != 0) return 0;
  *inode = found.st_ino;
  return 1;
}

static void append(uint32_t kind, const char *name, uint64_t inode, uint64_t offset, const struct iovec *bytes, int count) {
  struct event event = {kind, strlen(name), inode, offset, 0};
  struct iovec parts[2 + count];
  for (int index = 0; index < count; index++) event.length += bytes[index].iov_len;
  parts[0] = (struct iovec){&event, sizeof event};
  parts[1] = (struct iovec){(void *)name, event.name_length};
  memcpy(parts + 2, bytes, count * sizeof *bytes);
  ssize_t whole = sizeof event + event.name_length + event.length;
  if (REAL(writev)(log_file, parts, 2 + count) != whole) fail("the log of the recorder");
}

static void log_write(int file, uint64_t inode, off_t offset, const struct iovec *bytes, int count, ssize_t written) {
  if (written <= 0) return;
  if (offset < 0) offset = lseek(file, 0, SEEK_CUR) - written;
  struct iovec parts[count];
  int used = 0;
  for (size_t left = written; left > 0; used++) {
    parts[used] = bytes[used];
    if (parts[used].iov_len > left) parts[used].iov_len = left;
    left -= parts[used].iov_len;
  }
  append(WROTE, "", inode, offset, parts, used);
}

/* In the order of what was done: one at a time. */
#define IN_TURN(...) \
  do { \
    pthread_mutex_lock(&lock); \
    __VA_ARGS__; \
    pthread_mutex_unlock(&lock); \
  } while (0)

#define WRITES(file, call, offset, bytes, count) \
  uint64_t inode; \
  if (!is_logged(file, &inode)) return call; \
  ssize_t written; \
  IN_TURN(written = call; log_write(file, inode, offset, bytes, count, written)); \
  return written

ssize_t write(int file, const void *bytes, size_t length) {
  struct iovec all = {(void *)bytes, length};
  WRITES(file, REAL(write)(file, bytes, length), -1, &all, 1);
}
ssize_t writev(int file, const struct iovec *bytes, int count) {
  WRITES(file, REAL(writev)(file, bytes, count), -1, bytes, count);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  struct iovec all = {(void *)bytes, length};
  WRITES(file, REAL(pwrite)(file, bytes, length, offset), offset, &all, 1);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset) { return pwrite(file, bytes, length, offset); }
ssize_t pwritev64(int file, const struct iovec *bytes, int count, off_t offset) {
  WRITES(file, REAL(pwritev)(file, bytes, count, offset), offset, bytes, count);
}

int ftruncate(int file, off_t size) {
  uint64_t inode;
  if (!is_logged(file, &inode)) return REAL(ftruncate)(file, size);
  int result;
  IN_TURN(if ((result = REAL(ftruncate)(file, size)) == 0) append(CUT_OFF, "", inode, size, NULL, 0));
  return result;
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

#define SYNCS(name) \
  int name(int file) { \
    uint64_t inode; \
    if (!is_logged(file, &inode)) return REAL(name)(file); \
    int result; \
    IN_TURN(if ((result = REAL(name)(file)) == 0) { \
      append(SYNCED, "", inode, 0, NULL, 0); \
      if (++control[1] == control[0]) kill(getpid(), SIGKILL); \
    }); \
    return result; \
  }
SYNCS(fsync)
SYNCS(fdatasync)

#define OPENS(flags, call) \
  mode_t mode = 0; \
  if (flags & O_CREAT) { \
    va_list more; \
    va_start(more, flags); \
    mode = va_arg(more, mode_t); \
    va_end(more); \
  } \
  if (log_file < 0 || !(flags & (O_CREAT | O_TRUNC))) return call; \
  int file; \
  IN_TURN(file = call; if (file >= 0) log_opened(file, flags)); \
  return file

static void log_opened(int file, int flags) {
  char buffer[PATH_MAX];
  uint64_t inode;
  if (!is_logged(file, &inode)) return;
  if (flags & O_CREAT) append(MADE_FILE, path_of(file, buffer), inode, 0, NULL, 0);
  if (flags & O_TRUNC) append(CUT_OFF, "", inode, 0, NULL, 0);
}

int open(const char *path, int flags, ...) { OPENS(flags, REAL(open)(path, flags, mode)); }
int open64(const char *path, int flags, ...) { OPENS(flags, REAL(open64)(path, flags, mode)); }
int openat(int directory, const char *path, int flags, ...) { OPENS(flags, REAL(openat)(directory, path, flags, mode)); }
int openat64(int directory, const char *path, int flags, ...) { OPENS(flags, REAL(openat64)(directory, path, flags, mode)); }

int mkdirat(int directory, const char *path, mode_t mode) {
  char buffer[2 * PATH_MAX];
  struct stat made;
  int result;
  IN_TURN(if ((result = REAL(mkdirat)(directory, path, mode)) == 0) {
    const char *name = path_at(directory, path, buffer);
    if (name && fstatat(directory, path, &made, 0) == 0) append(MADE_FOLDER, name, made.st_ino, 0, NULL, 0);
  });
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int directory, const char *path, int flags) {
  char buffer[2 * PATH_MAX];
  int result;
  IN_TURN(if ((result = REAL(unlinkat)(directory, path, flags)) == 0) {
    const char *name = path_at(directory, path, buffer);
    if (name) append(REMOVED, name, 0, 0, NULL, 0);
  });
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat found;
  return unlinkat(AT_FDCWD, path, lstat(path, &found) == 0 && S_ISDIR(found.st_mode) ? AT_REMOVEDIR : 0);
}

int renameat(int from, const char *path, int to, const char *new_path) {
  char buffer[2 * PATH_MAX], new_buffer[2 * PATH_MAX];
  int result;
  IN_TURN(if ((result = REAL(renameat)(from, path, to, new_path)) == 0) {
    const char *name = path_at(from, path, buffer), *new_name = path_at(to, new_path, new_buffer);
    struct iovec bytes = {(void *)new_name, new_name ? strlen(new_name) : 0};
    if (name && new_name) append(RENAMED, name, 0, 0, &bytes, 1);
  });
  return result;
}
int rename(const char *path, const char *new_path) { return renameat(AT_FDCWD, path, AT_FDCWD, new_path); }
