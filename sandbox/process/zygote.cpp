#include "sandbox/process/zygote.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

#include "sandbox/process/program.hpp"

namespace bulkhead::sandbox {
namespace {

bool send_packet(int to, const void* data, std::size_t bytes, const int* descriptors,
                 std::size_t count) {
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int) * wire::order_descriptors)] = {};
  iovec part{const_cast<void*>(data), bytes};
  msghdr head = {};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  if (count > 0) {
    head.msg_control = room;
    head.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    auto* rights = CMSG_FIRSTHDR(&head);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(rights), descriptors, sizeof(int) * count);
  }
  return sendmsg(to, &head, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes);
}

wire::setup setup_of(const process_settings& settings) {
  wire::setup all = {};
  all.without = settings.without.bits();
  all.uid_first = settings.uid_first;
  all.uid_count = settings.uid_count;
  settings.libraries.copy(all.libraries, sizeof all.libraries - 1);
  return all;
}

}  // namespace

std::string zygote::start(const process_settings& settings) {
  stop();
  if (settings.libraries.size() >= sizeof(wire::setup::libraries))
    return "the list of libraries is too long";
  int pair[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return std::strerror(errno);
  descriptor ours(pair[0]);
  const descriptor theirs(pair[1]);
  pid_ = run_zygote_program(theirs);
  if (pid_ < 0) return std::string("the zygote does not start: ") + std::strerror(-pid_);
  control_ = std::move(ours);
  const auto all = setup_of(settings);
  if (send_packet(control_.get(), &all, sizeof all, nullptr, 0)) return {};
  const std::string why = std::strerror(errno);
  stop();
  return "the zygote does not listen: " + why;
}

void zygote::stop() {
  control_.reset();
  if (pid_ <= 0) return;
  // It has nothing to lose, and may be anywhere.
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

void zygote::finish() {
  if (control_) shutdown(control_.get(), SHUT_WR);
}

bool zygote::send(const wire::order& what, int doorbell, int memory, int object) {
  if (!control_) return false;
  const int all[] = {doorbell, memory, object};
  const bool with_descriptors = what.kind == wire::order_kind::spawn;
  return send_packet(control_.get(), &what, sizeof what, all,
                     with_descriptors ? wire::order_descriptors : 0);
}

zygote::receipt zygote::receive(received& one, std::chrono::milliseconds wait) {
  if (!control_) return receipt::ended;
  if (wait.count() > 0) {
    pollfd readable{control_.get(), POLLIN, 0};
    poll(&readable, 1, static_cast<int>(wait.count()));
  }
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&one.what, sizeof one.what};
  msghdr head = {};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = room;
  head.msg_controllen = sizeof room;
  const auto got = recvmsg(control_.get(), &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return receipt::nothing_now;
  if (got != sizeof one.what) return receipt::ended;
  one.pidfd.reset();
  if (const auto* rights = CMSG_FIRSTHDR(&head);
      rights && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len == CMSG_LEN(sizeof(int))) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    one.pidfd = descriptor(fd);
  }
  return receipt::one;
}

}  // namespace bulkhead::sandbox
