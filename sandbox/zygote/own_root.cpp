// A root of our own: an empty file system in memory with the libraries and a folder for guests.
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string>

#include "sandbox/zygote/world.hpp"

// <sys/mount.h> and <linux/mount.h> cannot be included together here.
extern "C" int mount(const char*, const char*, const char*, unsigned long, const void*) noexcept;
extern "C" int umount2(const char*, int) noexcept;

namespace bulkhead::sandbox::zygote {
namespace {

constexpr unsigned long bind = 4096, recursive = 16384, make_private = 1 << 18;
constexpr unsigned long no_suid = 2, no_devices = 4;
constexpr int detach = 2;
// Any folder that exists will do: what is mounted there is seen by nobody else.
constexpr const char* places[] = {"/tmp", "/run", "/mnt", "/var", "/srv"};

bool lock_mount(const char* path) {
  mount_attr set = {};
  set.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &set, sizeof set) == 0;
}

// All folders above `path`, which begins with a slash.
void make_folders(const std::string& root, const std::string& path) {
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    mkdir((root + path.substr(0, slash)).c_str(), 0755);
}

// /lib is a link to usr/lib on most systems: then ours is one too.
bool copy_link(const std::string& from, const std::string& to) {
  char target[PATH_MAX];
  const auto length = readlink(from.c_str(), target, sizeof target - 1);
  if (length <= 0) return false;
  target[length] = '\0';
  return symlink(target, to.c_str()) == 0 || errno == EEXIST;
}

bool show(const std::string& root, const std::string& path) {
  struct stat what = {};
  if (lstat(path.c_str(), &what) != 0) return true;  // not on this system
  const auto to = root + path;
  make_folders(root, path);
  if (S_ISLNK(what.st_mode)) return copy_link(path, to);
  if (S_ISDIR(what.st_mode)) {
    mkdir(to.c_str(), 0755);
  } else {
    const int file = open(to.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
    if (file >= 0) close(file);
  }
  return mount(path.c_str(), to.c_str(), nullptr, bind | recursive, nullptr) == 0 &&
         lock_mount(to.c_str());
}

const char* mount_empty() {
  for (const auto* place : places)
    if (mount("bulkhead", place, "tmpfs", no_suid | no_devices, "mode=0755") == 0) return place;
  return nullptr;
}

// A second way to the same file system, which stays writable when the first one is locked.
int writable_guests(const std::string& root) {
  const auto folder = root + guests_folder;
  // Nobody lists it: a guest's name is known to its own workers only.
  if (mkdir(folder.c_str(), 0711) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, folder.c_str(), OPEN_TREE_CLONE | O_CLOEXEC));
}

bool turn_to(const char* root) {
  return lock_mount(root) && chdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
         umount2(".", detach) == 0 && chdir("/") == 0;
}

}  // namespace

int enter_own_root(const std::vector<std::string>& libraries) {
  // Else what we mount would appear in the system's own namespace.
  if (mount(nullptr, "/", nullptr, recursive | make_private, nullptr) != 0) return -1;
  const auto* root = mount_empty();
  if (!root) return -1;
  int guests = writable_guests(root);
  bool good = guests >= 0;
  for (const auto& library : libraries) good = good && show(root, library);
  if (good && turn_to(root)) return guests;
  if (guests >= 0) close(guests);
  umount2(root, detach);
  return -1;
}

}  // namespace bulkhead::sandbox::zygote
