#include "actors/listener.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <system_error>

#include "tests/support/temporary_folder.hpp"

using namespace bulkhead::actors;
using bulkhead::tests::temporary_folder;
using Catch::Contains;

namespace {

using texts = std::vector<std::string>;

bool accepts_on(const unique_fd& fd) {
  return static_cast<bool>(unique_fd(::accept4(fd.get(), nullptr, nullptr, SOCK_NONBLOCK)));
}

}  // namespace

TEST_CASE("listen_on gives each reactor a socket of every address", "[actors][listener]") {
  const auto all = listen_on(texts{"127.0.0.1:0", "0.0.0.0:0"}, 3);
  REQUIRE(all.size() == 2);
  for (const auto& each : all) {
    CHECK(each.sockets.size() == 3);
    CHECK(each.address == bound_to(each.sockets[2].get()));
    CHECK_FALSE(Catch::EndsWith(":0").match(each.address));
  }
  CHECK_THAT(all[0].address, Catch::StartsWith("127.0.0.1:"));
  CHECK_THAT(all[1].address, Catch::StartsWith("0.0.0.0:"));
}

TEST_CASE("listen_on shares one unix socket between the reactors", "[actors][listener]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  {
    const auto all = listen_on(texts{"unix:" + path}, 2);
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].sockets.size() == 2);
    CHECK(all[0].address == "unix:" + path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    for (const auto& listening : all[0].sockets) {
      const unique_fd peer(::socket(AF_UNIX, SOCK_STREAM, 0));
      REQUIRE(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
              0);
      CHECK(accepts_on(listening));
      for (const auto& other : all[0].sockets) CHECK_FALSE(accepts_on(other));
    }
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("listen_on binds nothing when one of its addresses fails", "[actors][listener]") {
  const temporary_folder folder;
  const auto path = folder.file("a.sock");
  CHECK_THROWS_WITH(listen_on(texts{"unix:" + path, "192.0.2.1:9"}, 1), Contains("192.0.2.1:9"));
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("listen_on listens on every address of a name that is here", "[actors][listener][B163]") {
  const auto all = listen_on(texts{"localhost:0"}, 1);
  REQUIRE_FALSE(all.empty());
  std::set<std::string> seen;
  for (const auto& each : all) {
    CHECK_THAT(each.address, Catch::StartsWith("127.") || Catch::StartsWith("[::1]:"));
    CHECK(seen.insert(each.address).second);
  }
  CHECK_THROWS_WITH(listen_on(texts{"no-such-host.invalid:80"}, 1),
                    Contains("'no-such-host.invalid:80'"));
}

TEST_CASE("listen_on keeps IPv4 out of an IPv6 wildcard", "[actors][listener][B163]") {
  const auto v6 = listen_on(texts{"[::]:0"}, 1);
  const auto port = v6.at(0).address.substr(v6.at(0).address.rfind(':'));
  CHECK(listen_on(texts{"0.0.0.0" + port}, 1).at(0).address == "0.0.0.0" + port);
}

TEST_CASE("resolve takes short forms of IPv4 for no address", "[actors][socket][B163]") {
  for (const auto* text : {"1:80", "127.1:80", "256.0.0.1:80", "1.2.3.4.5:80", ".:80"}) {
    INFO(text);
    CHECK_THROWS_AS(resolve(text), std::invalid_argument);
    CHECK_THROWS_WITH(resolve(text), Contains("'" + std::string(text) + "'"));
  }
}

TEST_CASE("listen_on without sockets from systemd says so", "[actors][listener][B164]") {
  CHECK_THROWS_WITH(listen_on(texts{"systemd"}, 1), Contains("systemd") && Contains("LISTEN_PID"));
}
