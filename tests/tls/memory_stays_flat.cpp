#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>

#include "tests/tls/connection.hpp"
#include "tests/tls/memory.hpp"
#include "tls/library.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;

enum class cut { never, in_handshake, in_head, in_body, in_write };

struct clients {
  ssl_ctx_ptr context;
  session_ptr ticket;

  // The room's library, which decodes certificates in half the time.
  explicit clients(int version) : context(client_context({.version = version}, library())) {}
};

// A trap ends a session by its destructor alone, wherever it is.
void run_one(const std::shared_ptr<configurations>& pool, cut where, clients& from, bool resumes) {
  connection both(
      pool, {.resumed = resumes ? from.ticket.get() : nullptr, .context = from.context.get()});
  if (where == cut::in_handshake) {
    both.answer();
    return both.serve();
  }
  both.exchange();
  REQUIRE(both.is_open());
  both.peer.write("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x'),
                  both.to_server);
  if (where == cut::in_head) return both.serve(20);  // in the middle of a record
  both.serve();
  both.peer.write(std::string(100, 'x'), both.to_server);
  if (where == cut::in_body) return both.serve(50);
  both.serve();
  REQUIRE(both.server->write(std::string(40'000, 'y'), both.to_client, 20'000).consumed > 0);
  if (where == cut::in_write) return;
  if (!from.ticket) from.ticket = both.peer.ticket();
  both.server->close(both.to_client);
  both.server->retire();
}

TEST_CASE("10 000 sessions of which half are cut leave OpenSSL's memory as it was",
          "[tls][isolation][memory]") {
  constexpr int sessions = 10'000;
  const workshop files;
  const auto pool = configurations_of({files.host({"localhost"})});
  clients peers[] = {clients(TLS1_2_VERSION), clients(TLS1_3_VERSION)};
  const auto run = [&](int count) {
    constexpr cut cuts[] = {cut::never, cut::in_handshake, cut::never, cut::in_head,
                            cut::never, cut::in_body,      cut::never, cut::in_write};
    for (int i = 0; i < count; ++i) run_one(pool, cuts[i % 8], peers[i / 8 % 2], i / 16 % 4 != 0);
  };
  run(160);
  const auto before = openssl_memory_in_use();
  run(sessions);
  const auto after = openssl_memory_in_use();
  CHECK(after.blocks == before.blocks);
  CHECK(after.bytes == before.bytes);
}

TEST_CASE("an idle session holds less than 20 KiB of OpenSSL's memory", "[tls][memory][B082]") {
  const workshop files;
  const auto pool = configurations_of({files.host({"localhost"})});
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  connection first(pool, {.version = version});  // leaves its copy of the certificate
  first.exchange();
  connection both(pool, {.version = version});
  both.exchange();
  both.peer.write("GET / HTTP/1.1\r\n\r\n", both.to_server);
  both.exchange();
  both.server->write(std::string(30'000, 'y'), both.to_client);
  both.exchange();
  const auto with = openssl_memory_in_use();
  both.server.reset();
  const auto without = openssl_memory_in_use();
  INFO(with.blocks - without.blocks << " blocks");
  CHECK(with.bytes - without.bytes < 20 * 1024);
}

}  // namespace
