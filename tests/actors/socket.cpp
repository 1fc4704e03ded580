#include <catch2/catch.hpp>

#include <system_error>

#include "actors/socket.hpp"

using namespace bulkhead::actors;

TEST_CASE("listen_on gives all its sockets the one port that the system chose",
          "[actors][socket]") {
  const auto sockets = listen_on("127.0.0.1:0", 3);
  REQUIRE(sockets.size() == 3);
  const auto first = to_string(local_address(sockets[0].get()));
  CHECK(first != "127.0.0.1:0");
  CHECK(to_string(local_address(sockets[1].get())) == first);
  CHECK(to_string(local_address(sockets[2].get())) == first);
}

TEST_CASE("listen_on refuses an address that anyone listens on and names it",
          "[actors][socket][B157]") {
  const auto first = listen_on("127.0.0.1:0", 2);
  const auto address = to_string(local_address(first[0].get()));
  CHECK_THROWS_AS(listen_on(address, 1), std::system_error);
  CHECK_THROWS_WITH(listen_on(address, 2), Catch::Contains(address) && Catch::Contains("in use"));
}

TEST_CASE("listen_on binds IPv6 and prints it in brackets", "[actors][socket][B163]") {
  const auto sockets = listen_on("[::1]:0", 1);
  CHECK_THAT(to_string(local_address(sockets[0].get())), Catch::StartsWith("[::1]:"));
}

TEST_CASE("listen_on refuses text that is no address and quotes it", "[actors][socket][B163]") {
  for (const auto* text :
       {"", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1: 1", "::1:80", "[127.0.0.1]:80", "[]:80", "127.0.0.1:80x"}) {
    INFO(text);
    CHECK_THROWS_AS(listen_on(text, 1), std::invalid_argument);
    CHECK_THROWS_WITH(listen_on(text, 1), Catch::Contains("'" + std::string(text) + "'"));
  }
}
