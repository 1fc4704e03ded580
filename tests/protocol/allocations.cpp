#include "tests/protocol/allocations.hpp"

#include <cstdlib>
#include <new>

#include "protocol/client_connection.hpp"
#include "tests/protocol/support.hpp"

namespace {

thread_local std::size_t count = 0;

}  // namespace

// The whole test program counts; what it does with memory is otherwise unchanged.
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) {
    return memory;
  }
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

std::size_t bulkhead::protocol::test::allocations() {
  return count;
}

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

// One keep-alive exchange from the first octet to the last.
void exchange(server_connection& connection, request_head& head, std::string_view input,
              response& answer, std::string& output) {
  output.clear();
  for (event_kind kind = event_kind::need_more; kind != event_kind::end;) {
    const event found = connection.next(input, head);
    input.remove_prefix(found.consumed);
    kind = found.kind;
  }
  answer.reset();
  answer.set("X-Request-Id", "0123456789abcdef0123456789abcdef");
  connection.respond(head, answer, date, output);
}

}  // namespace

TEST_CASE("allocations are seen when there are some", "[protocol]") {
  const std::size_t before = allocations();
  const std::string text(1000, 'x');
  CHECK(allocations() > before);
}

TEST_CASE("server_connection allocates nothing in steady state", "[protocol]") {
  const limits bounds;
  server_connection connection(bounds);
  request_head head(bounds.fields_max);
  response answer;
  std::string output;
  const std::string inputs[] = {
      "GET /a?b HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nX: y\r\nCookie: z\r\n\r\n",
      with_fields("Content-Length: 5\r\n") + "hello",
      with_fields("Transfer-Encoding: chunked\r\n") + "5;a=b\r\nhello\r\n0\r\nT: u\r\n\r\n"};
  for (const std::string& input : inputs) {
    exchange(connection, head, input, answer, output);  // the strings take their memory
  }
  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) {
    for (const std::string& input : inputs) {
      exchange(connection, head, input, answer, output);
    }
  }
  CHECK(allocations() == before);
  CHECK_THAT(output, Catch::StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("client_connection allocates nothing in steady state", "[protocol]") {
  const limits bounds;
  client_connection connection(bounds);
  response_head head(bounds.fields_max);
  request asked("POST", "/", "a.example");
  std::string output;
  const std::string responses[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: x\r\n\r\nhello",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: u\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\n"};
  const std::string content(100, 'x');
  std::size_t trailers = 0;
  const auto exchange_all = [&] {
    output.clear();
    asked.reset("POST", "/a/rather/long/target?with=a&query=too", "a.example");
    asked.set("X-Request-Id", "0123456789abcdef0123456789abcdef");
    connection.send(asked, output);
    connection.begin_stream(asked, std::nullopt, output);
    connection.write_stream(content, output);
    connection.finish_stream(output);
    connection.send(asked, output);
    for (std::string_view input : responses) {
      for (event_kind kind = event_kind::need_more; kind != event_kind::end;) {
        const event found = connection.next(input, head);
        input.remove_prefix(found.consumed);
        kind = found.kind;
        for (const auto& line : trailer_fields(found.trailers)) {
          trailers += line.value.size();
        }
      }
    }
  };
  exchange_all();  // the strings take their memory
  const std::size_t before = allocations();
  for (int i = 0; i < 100; ++i) {
    exchange_all();
  }
  CHECK(allocations() == before);
  CHECK(trailers == 101);
  CHECK(connection.idle());
}

TEST_CASE("server_connection allocates nothing for streams and refusals", "[protocol]") {
  const limits bounds;
  request_head head(bounds.fields_max);
  const response answer;
  std::string output;
  output.reserve(1000);
  const std::size_t before = allocations();
  server_connection connection(bounds);
  connection.next("GET / HTTP/1.1\r\nHost: a\r\n\r\n", head);
  connection.next({}, head);
  connection.begin_stream(head, answer, date, output);
  connection.write_stream("piece", output);
  connection.finish_stream(output);
  connection.next("GET / HTTP/1.1\r\n\r\n", head);
  connection.write_refusal(date, output);
  CHECK(allocations() == before);
  CHECK(connection.must_close());
}
