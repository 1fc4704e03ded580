// The zygote: one thread, no secrets, a few pages. It makes workers when the server says so.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "sandbox/alternate_stack.hpp"
#include "sandbox/process/wire.hpp"
#include "sandbox/zygote/worker.hpp"
#include "sandbox/zygote/world.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

// A descriptor comes or goes with the message; at most order_descriptors.
struct packet {
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int) * wire::order_descriptors)] = {};
  iovec bytes = {};
  msghdr head = {};

  packet(void* data, std::size_t size) : bytes{data, size} {
    head.msg_iov = &bytes;
    head.msg_iovlen = 1;
    head.msg_control = room;
    head.msg_controllen = sizeof room;
  }
};

bool receive_order(birth& next) {
  packet one(&next.order, sizeof next.order);
  ssize_t got = 0;
  do got = recvmsg(wire::control_fd, &one.head, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got != sizeof next.order) return false;
  int all[wire::order_descriptors] = {-1, -1, -1};
  if (const auto* first = CMSG_FIRSTHDR(&one.head))
    std::memcpy(all, CMSG_DATA(first), std::min(sizeof all, first->cmsg_len - CMSG_LEN(0)));
  next.doorbell = all[0];
  next.memory = all[1];
  next.object = all[2];
  return true;
}

void send_report(const wire::report& what, int pidfd) {
  auto copy = what;
  packet one(&copy, sizeof copy);
  if (pidfd >= 0) {
    one.head.msg_controllen = CMSG_SPACE(sizeof pidfd);
    auto* first = CMSG_FIRSTHDR(&one.head);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof pidfd);
    std::memcpy(CMSG_DATA(first), &pidfd, sizeof pidfd);
  } else {
    one.head.msg_control = nullptr;
    one.head.msg_controllen = 0;
  }
  sendmsg(wire::control_fd, &one.head, MSG_NOSIGNAL);
}

// The guests that were copied into the own root, by the server's number for them. A copy is made
// once: the file that the owner replaces meanwhile does not change running pools.
class guests {
 public:
  explicit guests(int folder) : folder_(folder) {}

  // The path; empty: not possible, errno says why.
  std::string path_of(std::uint64_t object, int content) {
    const auto known = names_.find(object);
    const auto name = known != names_.end() ? known->second : copy(content);
    if (name.empty()) return {};
    names_.emplace(object, name);
    return std::string(guests_folder) + "/" + name;
  }

  void forget(std::uint64_t object) {
    const auto known = names_.find(object);
    if (known == names_.end()) return;
    unlinkat(folder_, known->second.c_str(), 0);
    names_.erase(known);
  }

 private:
  static std::string random_name() {
    unsigned char octets[16];
    if (getrandom(octets, sizeof octets, 0) != sizeof octets) return {};
    char text[sizeof octets * 2 + 1];
    for (std::size_t i = 0; i < sizeof octets; ++i)
      std::snprintf(text + 2 * i, 3, "%02x", octets[i]);
    return text;
  }

  std::string copy(int content) const {
    auto name = random_name();
    const int file = openat(folder_, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
    if (file < 0) return {};
    char part[16384];
    off_t at = 0;
    ssize_t got = 0;
    while ((got = pread(content, part, sizeof part, at)) > 0) {
      if (write(file, part, static_cast<std::size_t>(got)) != got) break;
      at += got;
    }
    close(file);
    if (got == 0) return name;
    unlinkat(folder_, name.c_str(), 0);
    return {};
  }

  int folder_;
  std::map<std::uint64_t, std::string> names_;
};

void spawn(const world& self, guests& all, birth& next) {
  wire::report report{wire::report_kind::failed, next.order.serial, 0, 0, 0};
  int pidfd = -1;
  next.control = wire::control_fd;
  next.guest = self.guests_fd < 0 ? std::string() : all.path_of(next.order.object, next.object);
  if (self.guests_fd >= 0 && next.guest.empty()) {
    report.error = errno;
    return send_report(report, -1);
  }
  // Not clone3, which many filters of containers refuse. The server becomes the parent.
  unsigned long flags = CLONE_PIDFD | CLONE_PARENT;
  if (self.held.has(layer::pid_namespace)) flags |= CLONE_NEWPID;
  if (self.thread_id) flags |= CLONE_CHILD_SETTID;
  const auto child = syscall(SYS_clone, flags, nullptr, &pidfd, self.thread_id, nullptr);
  if (child == 0) live(self, next);
  report.error = child < 0 ? errno : 0;
  report.pid = static_cast<std::int32_t>(child);
  if (child > 0) report.kind = wire::report_kind::spawned;
  send_report(report, pidfd);
  if (pidfd >= 0) close(pidfd);
}

int run() {
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_NAME, "bulkhead-zygote");
  // Workers inherit it, and what an empty one has is counted with it.
  const alternate_stack of_workers;
  wire::setup wanted = {};
  if (recv(wire::control_fd, &wanted, sizeof wanted, 0) != sizeof wanted) return 1;
  wanted.libraries[sizeof wanted.libraries - 1] = '\0';
  const auto self = make_world(wanted);
  // Not earlier: who is not dumpable does not own the files that map his user namespace.
  prctl(PR_SET_DUMPABLE, 0);
  guests all(self.guests_fd);
  send_report({wire::report_kind::hello, 0, self.held.bits(), 0, 0}, -1);

  birth next{};
  while (receive_order(next)) {
    if (next.order.kind == wire::order_kind::forget)
      all.forget(next.order.object);
    else
      spawn(self, all, next);
    for (const int one : {next.doorbell, next.memory, next.object})
      if (one >= 0) close(one);
  }
  return 0;
}

}  // namespace
}  // namespace bulkhead::sandbox::zygote

int main() {
  return bulkhead::sandbox::zygote::run();
}
