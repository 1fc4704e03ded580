#include "protocol/prepared_response.hpp"

#include <stdexcept>

#include "protocol/response_writer.hpp"
#include "tests/protocol/allocations.hpp"
#include "tests/protocol/peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

response sample() {
  return response::text("hello").set("Cache-Control", "max-age=60");
}

// What the response writer makes of it.
std::string written(const response& answer, const head_context& context) {
  std::string out;
  write_head(answer, context, out);
  return content_follows(context.request_method, answer.status()) ? out.append(answer.content())
                                                                  : out;
}

}  // namespace

TEST_CASE("prepared_response writes what the response would be", "[protocol][rfc9112-4]") {
  for (const response& answer : {sample(), sample().close(), response(404), response(204),
                                 response::json("{}", 201), response(304).set("ETag", "\"a\"")}) {
    const prepared_response prepared(answer);
    for (const method asked : {method::get, method::head, method::post}) {
      for (const int minor_version : {0, 1}) {
        for (const bool closes : {false, true}) {
          for (const std::string_view day : {date, std::string_view{}}) {
            const head_context context{asked, minor_version, closes, framing::length, day};
            std::string out = "before";
            prepared.write(context, out);
            CHECK(out == "before" + written(answer, context));
          }
        }
      }
    }
  }
}

TEST_CASE("prepared_response takes no response that is used up", "[protocol]") {
  CHECK_THROWS_AS(prepared_response(response().set_source([](std::string&) { return false; })),
                  std::invalid_argument);
  CHECK_THROWS_AS(prepared_response(response(101).set("Upgrade", "x")), std::invalid_argument);
  CHECK_THROWS_AS(prepared_response(response(204).set_content("x")), std::invalid_argument);
}

TEST_CASE("server_connection answers with a prepared response", "[protocol]") {
  const prepared_response prepared(sample());
  peer server(std::string(get) + "HEAD / HTTP/1.0\r\n\r\n");
  const auto respond = [&] {
    return server.connection.respond(server.head, prepared, date, server.output);
  };
  CHECK(respond() == write_error::no_request);
  REQUIRE(server.kind() == event_kind::head);
  REQUIRE(server.kind() == event_kind::end);
  CHECK_FALSE(respond());
  CHECK(server.output == written(sample(), {method::get, 1, false, framing::length, date}));
  CHECK(respond() == write_error::response_already_sent);

  server.output.clear();
  REQUIRE(server.kind() == event_kind::head);
  REQUIRE(server.kind() == event_kind::end);
  CHECK_FALSE(respond());
  CHECK(server.output == written(sample(), {method::head, 0, true, framing::length, date}));
  CHECK(server.connection.must_close());
}

TEST_CASE("server_connection accepts no tunnel with a prepared response", "[protocol]") {
  peer server("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
  REQUIRE(server.kind() == event_kind::head);
  REQUIRE(server.kind() == event_kind::end);
  CHECK(server.connection.respond(server.head, prepared_response(sample()), date, server.output) ==
        write_error::connect_accepted);
  CHECK(server.output.empty());
}

TEST_CASE("prepared_response allocates nothing when it is written", "[protocol]") {
  const prepared_response prepared(sample());
  std::string out;
  out.reserve(1000);
  const std::size_t before = allocations();
  prepared.write({method::get, 1, false, framing::length, date}, out);
  prepared.write({method::get, 1, true, framing::length, date}, out);
  CHECK(allocations() == before);
}
