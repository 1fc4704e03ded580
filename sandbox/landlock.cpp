#include "sandbox/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace bulkhead::sandbox {
namespace {

// Newer than some headers that this compiles with.
struct ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};

constexpr std::uint64_t lowest(unsigned bits) {
  return (1ull << bits) - 1;
}

ruleset everything(int version) {
  ruleset all{lowest(13), 0, 0};
  if (version >= 2) all.files = lowest(14);   // REFER
  if (version >= 3) all.files = lowest(15);   // TRUNCATE
  if (version >= 4) all.network = lowest(2);  // bind and connect TCP
  if (version >= 5) all.files = lowest(16);   // IOCTL_DEV
  if (version >= 6) all.scoped = lowest(2);   // abstract sockets, signals
  return all;
}

// A kernel takes a longer structure than it knows as long as the rest is zero.
int make_ruleset(int version) {
  const auto all = everything(version);
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
}

// What does not exist needs no rule.
bool allow(int rules, const std::string& path, std::uint64_t access) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (file < 0) return true;
  landlock_path_beneath_attr beneath = {};
  beneath.allowed_access = access;
  beneath.parent_fd = file;
  const bool added =
      syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
  close(file);
  return added;
}

}  // namespace

int landlock_version() {
  const auto version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return std::max(0, static_cast<int>(version));
}

bool landlock(std::span<const std::string> readable, std::span<const std::string> writable) {
  constexpr std::uint64_t to_read = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
  constexpr std::uint64_t truncate = 1 << 14;  // since version 3
  const int version = landlock_version();
  const int rules = make_ruleset(version);
  if (rules < 0) return false;
  const auto to_write = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                        LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                        (version >= 3 ? truncate : 0);
  bool done = true;
  for (const auto& path : readable) done = done && allow(rules, path, to_read);
  for (const auto& path : writable) done = done && allow(rules, path, to_write);
  done = done && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return done;
}

}  // namespace bulkhead::sandbox
