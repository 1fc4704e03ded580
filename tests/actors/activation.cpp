#include "actors/activation.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace bulkhead::actors;
using Catch::Contains;

namespace {

// Places sockets at 3, 4 and so on, where systemd passes them, and what was there back at its end.
class passed_sockets {
 public:
  explicit passed_sockets(const std::vector<int>& sockets) {
    for (const int fd : sockets) {
      const int place = 3 + static_cast<int>(kept_.size());
      kept_.emplace_back(::fcntl(place, F_DUPFD_CLOEXEC, 64));
      REQUIRE(::dup2(fd, place) == place);
    }
  }
  passed_sockets(const passed_sockets&) = delete;
  passed_sockets& operator=(const passed_sockets&) = delete;
  ~passed_sockets() {
    int place = 3;
    for (const auto& kept : kept_) {
      if (kept)
        ::dup2(kept.get(), place);
      else
        ::close(place);
      ++place;
    }
  }

 private:
  std::vector<unique_fd> kept_;
};

void tell(const std::string& pid, const char* count, const char* names = nullptr) {
  ::setenv("LISTEN_PID", pid.c_str(), 1);
  ::setenv("LISTEN_FDS", count, 1);
  if (names)
    ::setenv("LISTEN_FDNAMES", names, 1);
  else
    ::unsetenv("LISTEN_FDNAMES");
}

const std::string own_pid = std::to_string(::getpid());

// High enough to be out of the way of what is placed.
unique_fd out_of_the_way(unique_fd fd) {
  return unique_fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 64));
}
unique_fd listening() {
  return out_of_the_way(std::move(listen_on("127.0.0.1:0", 1).front()));
}

}  // namespace

TEST_CASE("take_activated_sockets takes the sockets with their names",
          "[actors][activation][B164]") {
  const auto first = listening();
  const auto second = listening();
  ::fcntl(first.get(), F_SETFL, 0);
  const passed_sockets placed({first.get(), second.get()});
  tell(own_pid, "2", "http:");
  auto taken = take_activated_sockets();
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].number == 3);
  CHECK(taken[0].name == "http");
  CHECK(taken[1].number == 4);
  CHECK(taken[1].name.empty());
  CHECK(bound_to(taken[0].socket.get()) == bound_to(first.get()));
  CHECK((::fcntl(3, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK((::fcntl(3, F_GETFL) & O_NONBLOCK) != 0);
  for (const auto* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
    CHECK(::getenv(variable) == nullptr);
  CHECK(take_activated_sockets().empty());
}

TEST_CASE("take_activated_sockets ignores what is another process's",
          "[actors][activation][B164]") {
  tell(std::to_string(::getppid()), "abc", "x:y:z");
  CHECK(take_activated_sockets().empty());
  CHECK(::getenv("LISTEN_FDS") == nullptr);
}

TEST_CASE("take_activated_sockets names the variable whose value is malformed",
          "[actors][activation][B164]") {
  for (const auto* count : {"", "0", "-1", "1x", " 1", "1025", "99999999999999999999"}) {
    tell(own_pid, count);
    CHECK_THROWS_WITH(take_activated_sockets(),
                      Contains("LISTEN_FDS='" + std::string(count) + "'"));
  }
  for (const auto* pid : {"", "0", "-1", "self", "99999999999999999999"}) {
    tell(pid, "1");
    CHECK_THROWS_WITH(take_activated_sockets(), Contains("LISTEN_PID='" + std::string(pid) + "'"));
  }
  tell(own_pid, "1", "a:b");
  CHECK_THROWS_WITH(take_activated_sockets(), Contains("LISTEN_FDNAMES='a:b' has 2 names"));
  tell(own_pid, "1");
  ::unsetenv("LISTEN_FDS");
  CHECK_THROWS_WITH(take_activated_sockets(), Contains("LISTEN_FDS is not set"));
}

TEST_CASE("take_activated_sockets refuses what is no listening stream socket and closes nothing",
          "[actors][activation][B164]") {
  const auto good = listening();
  const auto refused = [&](unique_fd bad, const char* why) {
    const auto away = out_of_the_way(std::move(bad));
    const passed_sockets placed({good.get(), away.get()});
    tell(own_pid, "2");
    CHECK_THROWS_WITH(take_activated_sockets(), Contains("descriptor 4 ") && Contains(why));
    CHECK(::fcntl(3, F_GETFD) >= 0);
    CHECK(::fcntl(4, F_GETFD) >= 0);
  };
  refused(unique_fd(::socket(AF_INET, SOCK_DGRAM, 0)), "is a datagram socket");
  refused(unique_fd(::socket(AF_INET, SOCK_STREAM, 0)), "is not listening");
  refused(unique_fd(::open("/dev/null", O_RDONLY)), "is no socket");
}

TEST_CASE("take_activated_sockets refuses a number that is not open",
          "[actors][activation][B164]") {
  tell(own_pid, "1024");
  CHECK_THROWS_WITH(take_activated_sockets(), Contains("LISTEN_FDS: descriptor "));
}
