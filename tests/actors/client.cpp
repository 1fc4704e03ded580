// The blocking client: requests and answers.
#include "actors/client.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/actors/client_peers.hpp"
#include "tests/support/scripted_server.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("client refuses an origin that is none", "[client]") {
  for (const char* bad : {"", "localhost", "ftp://a", "http://", "http://a/b", "http://a:x",
                          "http://u@a", "http://a:65536", "http://[::1", "https//a"}) {
    INFO(bad);
    CHECK_THROWS_AS(client(bad), std::invalid_argument);
  }
  CHECK(client("HTTP://a.example/").request("GET", "/").first_lines() ==
        "GET / HTTP/1.1\r\nHost: a.example\r\n");
  CHECK(client("http://[::1]:81").request("GET", "/").first_lines() ==
        "GET / HTTP/1.1\r\nHost: [::1]:81\r\n");
}

TEST_CASE("client sends and receives over one kept connection", "[client][rfc9112-9.3]") {
  both servers;
  client plain(servers.plain());
  client secure(servers.secure(), {.ca_file = servers.ca()});
  for (client* c : {&plain, &secure}) {
    const auto peer = c->get("/peer");
    CHECK(peer.status == 200);
    CHECK_THAT(std::string(peer.find("content-type")), Catch::StartsWith("text/plain"));
    auto asked = c->request("POST", "/echo");
    CHECK(c->send(asked.set_content("to and fro")).content == "to and fro");
    const auto bodiless = c->send(c->request("HEAD", "/hello"));
    CHECK(bodiless.find("Content-Length") == "5");
    CHECK(bodiless.content.empty());
    CHECK(c->get("/nowhere").status == 404);
    CHECK(c->get("/peer").content == peer.content);
    CHECK(c->send(c->request("GET", "/peer").close()).content == peer.content);
    CHECK(c->get("/peer").content != peer.content);
  }
}

TEST_CASE("client streams content both ways", "[client][rfc9112-7.1]") {
  both servers;
  client plain(servers.plain());
  client secure(servers.secure(), {.ca_file = servers.ca()});
  for (client* c : {&plain, &secure}) {
    const auto put = c->request("PUT", "/count");
    CHECK(c->send(put, {.source = pieces(100'000, 30)}).content == "3000000");
    CHECK(c->send(put, {.source = pieces(1, 3), .length = 3}).content == "3");
    CHECK(c->send(put, {.source = pieces(0, 3)}).content == "0");
    std::size_t taken = 0;
    const auto answer = c->send(c->request("GET", "/long"),
                                {.sink = [&](const client_answer& head, std::string_view piece) {
                                  CHECK(head.status == 200);
                                  taken += piece.size();
                                }});
    CHECK(answer.content.empty());
    CHECK(taken == 1'000'000);
    auto large = c->request("PUT", "/count");
    CHECK(c->send(large.set_content(std::string(5'000'000, 'x'))).content == "5000000");
  }
}

TEST_CASE("client goes on after sources and sinks that throw", "[client]") {
  both servers;
  client c(servers.plain());
  CHECK_THROWS_AS(c.send(c.request("PUT", "/count"), {.source = [](std::string&) -> bool {
                           throw std::domain_error("source");
                         }}),
                  std::domain_error);
  CHECK_THROWS_AS(c.send(c.request("GET", "/long"),
                         {.sink = [](const client_answer&,
                                     std::string_view) { throw std::domain_error("sink"); }}),
                  std::domain_error);
  CHECK(c.get("/hello").content == "hello");
}

TEST_CASE("client refuses what it can't send and goes on", "[client]") {
  both servers;
  client c(servers.plain());
  CHECK_THROWS_AS(c.send(c.request("CONNECT", "a:1")), std::invalid_argument);
  CHECK_THROWS_AS(c.send(c.request("GET", "/hello").set("Upgrade", "h2c")), std::invalid_argument);
  auto trace = c.request("TRACE", "/");
  CHECK_THROWS_AS(c.send(trace.set_content("x")), std::invalid_argument);
  const auto put = c.request("PUT", "/count");
  CHECK_THROWS_AS(c.send(put, {.source = pieces(2, 2), .length = 3}), std::invalid_argument);
  CHECK_THROWS_AS(c.send(put, {.source = pieces(1, 2), .length = 3}), std::invalid_argument);
  CHECK(c.get("/hello").content == "hello");
}

TEST_CASE("client holds content back until the server wants it", "[client][rfc9110-10.1.1]") {
  both servers;
  client c(servers.plain());
  auto asked = c.request("PUT", "/count");
  asked.expect_continue();
  CHECK(c.send(asked, {.source = pieces(1000, 3)}).content == "3000");
  SECTION("and drops it when it is refused") {
    scripted refuses({"HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"});
    client refused(refuses.origin());
    bool was_asked = false;
    const auto answer = refused.send(asked, {.source = [&](std::string&) {
                                       was_asked = true;
                                       return false;
                                     }});
    CHECK(answer.status == 413);
    CHECK_FALSE(was_asked);
  }
  SECTION("but not for ever") {
    // The second head of its script is the content.
    scripted silent({"", "HTTP/1.1 204 Fine\r\n\r\n"});
    client c2(silent.origin(), {.deadlines = {.continue_wait = 20ms}});
    asked.set_content("\r\n\r\n");
    CHECK(c2.send(asked).status == 204);
  }
}

TEST_CASE("client reads an answer that comes before its content is sent", "[client][rfc9112-9.5]") {
  scripted refuses({"HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nbig"});
  client c(refuses.origin());
  CHECK(c.send(c.request("PUT", "/"), {.source = pieces(100'000, 1'000)}).content == "big");
}

TEST_CASE("client skips interim responses and gives the trailer section",
          "[client][rfc9110-15.2][rfc9110-6.5]") {
  scripted server(
      {"HTTP/1.1 103 Early\r\nLink: <a>\r\n\r\n"
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: one\r\nX: two\r\n\r\n"
       "2\r\nhi\r\n0\r\nDigest: d\r\n\r\n"});
  client c(server.origin());
  const auto answer = c.get("/");
  CHECK(answer.content == "hi");
  CHECK(answer.find("x") == "one");
  CHECK(answer.find("link").empty());
  CHECK(answer.fields.size() == 3);
  REQUIRE(answer.trailers.size() == 1);
  CHECK(answer.trailers[0].name == "Digest");
}

TEST_CASE("client reads content that the end of the connection ends", "[client][rfc9112-6.3]") {
  scripted server({"HTTP/1.1 200 OK\r\n\r\nall of it"}, {ok});
  client c(server.origin());
  CHECK(c.get("/").content == "all of it");
  CHECK(c.get("/").content == "ok");
}

TEST_CASE("client takes no half for a whole", "[client][rfc9112-8]") {
  for (const char* half : {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"}) {
    scripted server({half});
    client c(server.origin());
    CHECK(failure_of(c, c.request("GET", "/")) == client_failure::closed);
  }
}

TEST_CASE("client refuses answers that break rules or limits", "[client][rfc9112]") {
  for (const char* bad : {"SSH-2.0-x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnine",
                          "HTTP/1.1 101 Ha\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
                          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    INFO(bad);
    scripted server({bad});
    client c(server.origin(), {.limits = {.content_bytes_max = 8}});
    CHECK(failure_of(c, c.request("GET", "/")) == client_failure::bad_response);
  }
}
