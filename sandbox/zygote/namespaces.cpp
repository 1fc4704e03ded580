#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "sandbox/zygote/world.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

bool write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto bytes = static_cast<ssize_t>(std::strlen(text));
  const bool written = write(file, text, static_cast<std::size_t>(bytes)) == bytes;
  close(file);
  return written;
}

// Ourselves as ourselves: nobody gets an identity that he did not have.
bool map_identity(uid_t user, gid_t group) {
  char line[64];
  std::snprintf(line, sizeof line, "%u %u 1", user, user);
  if (!write_file("/proc/self/uid_map", line)) return false;
  write_file("/proc/self/setgroups", "deny");
  std::snprintf(line, sizeof line, "%u %u 1", group, group);
  return write_file("/proc/self/gid_map", line);
}

bool enter_user_namespace() {
  const auto user = geteuid();
  const auto group = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return false;
  // Root without capabilities may not map itself (since Linux 5.12): then it is nobody in there,
  // who can make no files and so no root of his own.
  static_cast<void>(map_identity(user, group));
  return true;
}

}  // namespace

void enter_namespaces(layers without, layers& held) {
  struct kind {
    layer what;
    int flag;
  };
  // own_root is taken for the mount namespace here and confirmed by enter_own_root.
  constexpr kind kinds[] = {{layer::own_root, CLONE_NEWNS},
                            {layer::network_namespace, CLONE_NEWNET},
                            {layer::ipc_namespace, CLONE_NEWIPC},
                            {layer::uts_namespace, CLONE_NEWUTS}};
  bool may_need_user = !without.has(layer::user_namespace);
  for (const auto& one : kinds) {
    if (without.has(one.what)) continue;
    bool entered = unshare(one.flag) == 0;
    if (!entered && may_need_user) {
      may_need_user = false;
      if (enter_user_namespace()) held.add(layer::user_namespace);
      entered = unshare(one.flag) == 0;
    }
    if (entered) held.add(one.what);
  }
}

}  // namespace bulkhead::sandbox::zygote
