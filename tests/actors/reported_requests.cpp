// Requests that other servers got wrong, as they were reported: what is answered, and what is not.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "protocol/date_parser.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;

namespace {

struct reported {
  const char* report;
  std::string sent;
  std::vector<int> answered;  // the status of every answer, and no other comes
};

const std::vector<reported>& reports() {
  using std::string_literals::operator""s;
  static const std::vector<reported> all{
      {"B001",
       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
       {400}},
      {"B001 in the other order",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n"
       "0\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
       {400}},
      {"B002",
       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 0\r\n\r\nZ",
       {400}},
      {"B002 in one field",
       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 0\r\n\r\nZ",
       {400}},
      {"B004", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n", {400}},
      {"B005",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\r\n",
       {400}},
      {"B007",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
           std::string(20'000, 'a') + "\r\nx\r\n0\r\n\r\n",
       {413}},
      {"B008",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
       {400}},
      {"B010",
       "GET /hello HTTP/1.1\r\nHost: a\r\nVisible: x\rTransfer-Encoding: chunked\r\n\r\n",
       {400}},
      {"B011", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello", {400}},
      {"B013", "GET /hello HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n", {400}},
      {"B014 unknown major", "GET /hello HTTP/9.9\r\nHost: a\r\n\r\n", {505}},
      {"B014 missing", "GET /hello \r\n\r\n", {400}},
      {"B014 two digits", "GET /hello HTTP/1.32\r\nHost: a\r\n\r\n", {400}},
      {"B014 overflow", "GET /hello HTTP/4294967297.257\r\nHost: a\r\n\r\n", {400}},
      {"B014 carriage returns", "GET /hello HTTP/\r\r1.1\r\nHost: a\r\n\r\n", {400}},
      {"B016",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
       "ChUnKeD\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
       {200}},
      {"B017",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
       "Transfer-Encoding: chunked\r\n\r\n1\r\nZ\r\n0\r\n\r\n",
       {400}},
      {"B019 two", "GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", {400}},
      {"B019 none", "GET /hello HTTP/1.1\r\n\r\n", {400}},
      {"B019 none in 1.0", "GET /hello HTTP/1.0\r\n\r\n", {200}},
      {"B020",
       "GET /hello HTTP/1.1\r\nHost: a\r\n\"Referer\": x\r\nConnection: \x01,,;=\r\n\r\n",
       {400}},
      {"B022 complete", "GET /a%20 HTTP/1.1\r\nHost: a\r\n\r\n", {404}},
      {"B022 no digit", "GET /% HTTP/1.1\r\nHost: a\r\n\r\n", {400}},
      {"B022 one digit", "GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", {400}},
      {"B022 no digits in the query", "GET /a?x=%zz HTTP/1.1\r\nHost: a\r\n\r\n", {400}},
      {"B023", "GET http://a/hello?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", {200}},
      {"B023 asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", {204}},
      {"B025",
       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
       "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
       {200, 200}},
      {"B026", "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: \xff\xfe\r\n\r\n", {400}},
      {"B028", "GET /" + std::string(70'000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", {414}},
      {"B029 one field",
       "GET /hello HTTP/1.1\r\nHost: a\r\nx: " + std::string(200'000, 'a') + "\r\n\r\n",
       {431}},
      {"B031", "POST /\r\n\r\n", {400}},
      {"B035", "GET /hello HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: , ,\r\n\r\n", {200}},
      {"B139",
       "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
       "0\r\nContent-Length: 5\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
       {400}},
      {"a NUL in a field", "GET /hello HTTP/1.1\r\nHost: a\r\nx: a\0b\r\n\r\n"s, {400}},
  };
  return all;
}

// Of whole answers; contents may speak of HTTP/1.1 too.
std::vector<int> statuses(std::string_view answers) {
  std::vector<int> found;
  for (auto at = answers.find("HTTP/1.1 "); at != answers.npos;
       at = answers.find("HTTP/1.1 ", at + 1))
    if (const int status = status_of(answers.substr(at))) found.push_back(status);
  return found;
}

}  // namespace

TEST_CASE("server answers what was reported of others as it should", "[server][reported][parser]") {
  served s;
  const auto address = s.start();
  for (const auto& [report, sent, answered] : reports()) {
    INFO(report);
    client whole(address);
    whole.send(sent);
    whole.half_close();
    CHECK(statuses(whole.rest()) == answered);
    if (sent.size() > 1000) continue;
    client in_octets(address);
    for (const char octet : sent)
      if (!in_octets.send({&octet, 1})) break;
    in_octets.half_close();
    CHECK(statuses(in_octets.rest()) == answered);
  }
}

TEST_CASE("server gives a client what it asks while others send it what was reported",
          "[server][reported][containment][B032]") {
  served s;
  const auto address = s.start();
  std::vector<client> healthy;
  for (int i = 0; i < 100; ++i) healthy.emplace_back(address);
  std::atomic<bool> done = false;
  std::thread attacker([&] {
    while (!done)
      for (const auto& each : reports()) {
        client c(address);
        c.send(each.sent);
      }
  });
  int lost = 0;
  for (int round = 0; round < 20; ++round)
    for (auto& each : healthy) lost += content_of(each.ask(get("/hello"))) != "hello";
  done = true;
  attacker.join();
  CHECK(lost == 0);
}

TEST_CASE("server stops reading trailers and fields at its limits however many come",
          "[server][reported][B029][B139]") {
  served s;
  const auto address = s.start();
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "a: b\r\n";
  client fields(address);
  fields.send("GET /hello HTTP/1.1\r\nHost: a\r\n" + many);
  CHECK(statuses(fields.rest()) == std::vector{431});
  client trailers(address);
  trailers.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + many);
  CHECK(statuses(trailers.rest()) == std::vector{431});
}

TEST_CASE("server believes its transport about scheme and peer and no field or target",
          "[server][reported][B034][B035]") {
  served s;
  s->get("/whoami",
         [](const request& r) { return response::text(std::string(r.scheme()) + " " + r.peer()); });
  client c(s.start());
  CHECK_THAT(content_of(c.ask("GET https://a/whoami HTTP/1.1\r\nHost: a\r\n"
                              "X-Forwarded-For: 10.1.1.1\r\nX-Forwarded-Proto: https\r\n\r\n")),
             Catch::StartsWith("http 127.0.0.1:"));
}

TEST_CASE("server hands coded content over as it came", "[server][reported][B148]") {
  served s;
  client c(s.start());
  const std::string bomb = "\x1f\x8b\x08 expands to a gigabyte";
  CHECK(content_of(c.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
                         "Content-Length: " +
                         std::to_string(bomb.size()) + "\r\n\r\n" + bomb)) == bomb);
}

TEST_CASE("server sends head and small content in one segment", "[server][reported][B046]") {
  served s;
  client c(s.start());
  const auto segments = [&] {
    tcp_info info{};
    socklen_t bytes = sizeof info;
    REQUIRE(::getsockopt(c.fd(), IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0);
    return info.tcpi_data_segs_in;
  };
  REQUIRE(content_of(c.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")) ==
          "ab");
  const auto before = segments();
  for (int i = 0; i < 100; ++i)
    REQUIRE(content_of(c.ask("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab")) ==
            "ab");
  CHECK(segments() - before == 100);
}

TEST_CASE("server says the present date", "[server][reported][B158]") {
  served s;
  client c(s.start());
  for (int i = 0; i < 3; ++i) {
    const auto before = std::time(nullptr);
    const auto answer = c.ask(get("/hello"));
    const auto after = std::time(nullptr);
    const auto at = answer.find("\r\nDate: ");
    REQUIRE(at != answer.npos);
    const auto said = protocol::parse_date(std::string_view(answer).substr(at + 8, 29), before);
    REQUIRE(said);
    CHECK(*said >= before - 1);
    CHECK(*said <= after);
  }
}
