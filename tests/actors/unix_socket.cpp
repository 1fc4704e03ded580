#include "actors/unix_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "tests/support/temporary_folder.hpp"

using namespace bulkhead::actors;
using bulkhead::tests::temporary_folder;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// 0, or why nobody could be reached.
int connect_to(const std::string& path) {
  const auto address = address_of(path);
  const unique_fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(fd.get(), generic, sizeof address) == 0 ? 0 : errno;
}

// As a server leaves it that was killed.
void leave_stale_file(const std::string& path, int type = SOCK_STREAM) {
  const auto address = address_of(path);
  const unique_fd fd(::socket(AF_UNIX, type, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  REQUIRE(::bind(fd.get(), generic, sizeof address) == 0);
}

}  // namespace

TEST_CASE("listen_on_unix listens and removes the file at its end", "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  {
    const auto bound = listen_on_unix(path);
    CHECK(connect_to(path) == 0);
    CHECK(bound_to(bound.socket.get()) == "unix:" + path);
    CHECK(to_string(local_address(bound.socket.get())) == "unix");
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("listen_on_unix replaces the file of a server that is gone", "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    leave_stale_file(path, type);
    REQUIRE(connect_to(path) == ECONNREFUSED);
    const auto bound = listen_on_unix(path);
    CHECK(connect_to(path) == 0);
  }
}

TEST_CASE("listen_on_unix refuses a path where someone answers and names it",
          "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  const auto bound = listen_on_unix(path);
  CHECK_THROWS_AS(listen_on_unix(path), std::system_error);
  CHECK_THROWS_WITH(listen_on_unix(path), Contains("unix:" + path) && Contains("in use"));
  CHECK(connect_to(path) == 0);
}

TEST_CASE("listen_on_unix takes a full backlog for someone who answers", "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  const auto address = address_of(path);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const unique_fd busy(::socket(AF_UNIX, SOCK_STREAM, 0));
  REQUIRE(::bind(busy.get(), generic, sizeof address) == 0);
  REQUIRE(::listen(busy.get(), 0) == 0);
  const unique_fd waiting(::socket(AF_UNIX, SOCK_STREAM, 0));
  REQUIRE(::connect(waiting.get(), generic, sizeof address) == 0);
  CHECK_THROWS_WITH(listen_on_unix(path), Contains("in use"));
}

TEST_CASE("listen_on_unix refuses a file that is no socket and leaves it alone",
          "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("precious");
  std::ofstream(path) << "data";
  CHECK_THROWS_WITH(listen_on_unix(path), Contains(path) && Contains("no socket"));
  CHECK(fs::file_size(path) == 4);
  const auto link = folder.file("link");
  fs::create_symlink(path, link);
  CHECK_THROWS_WITH(listen_on_unix(link), Contains(link) && Contains("no socket"));
  CHECK_THROWS_WITH(listen_on_unix(folder.file("no/a.sock")), Contains("No such file"));
}

TEST_CASE("listen_on_unix accepts a path of 107 bytes and refuses one of 108",
          "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto start = folder.file("");
  const auto longest = start + std::string(107 - start.size(), 'a');
  const auto bound = listen_on_unix(longest);
  CHECK(bound_to(bound.socket.get()) == "unix:" + longest);
  CHECK_THROWS_AS(listen_on_unix(longest + "a"), std::invalid_argument);
  CHECK_THROWS_WITH(listen_on_unix(longest + "a"), Contains("at most 107 bytes, not 108"));
  CHECK_THROWS_AS(listen_on_unix(""), std::invalid_argument);
}

TEST_CASE("socket_file leaves the file of a server that took its place", "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  std::optional old(listen_on_unix(path));
  old->socket.reset();  // as while draining
  const auto next = listen_on_unix(path);
  old.reset();
  CHECK(connect_to(path) == 0);
}

TEST_CASE("socket_file leaves the file alone in a forked process", "[actors][unix_socket]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  std::optional bound(listen_on_unix(path));
  const auto child = ::fork();
  if (child == 0) {
    bound.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  CHECK(connect_to(path) == 0);
}
