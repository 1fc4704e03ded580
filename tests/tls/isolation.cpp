// No two live sessions share a mutable OpenSSL object: proved by the memory's owner.
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "tests/tls/connection.hpp"
#include "tests/tls/memory.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;
using status = engine::status;

struct world {
  workshop files;
  certified authority = certify({.common_name = "root", .is_authority = true});
  certified middle = certify({.common_name = "middle", .is_authority = true}, &authority);
  certified host = certify({.names = {"localhost"}}, &middle);
  certified rsa_host = certify({.names = {"rsa.example"}, .is_rsa = true}, &middle);
  certified alice = certify({.common_name = "alice"}, &authority);

  std::shared_ptr<const virtual_hosts> hosts() const {
    const client_rule required{client_certificates::required, authority.certificate_pem()};
    auto with_chain = [&](const certified& one) {
      const auto certificate =
          files.write("chain.pem", one.certificate_pem() + middle.certificate_pem());
      const auto loaded = material::load({.certificate_file = certificate,
                                          .key_file = files.write("host.key", one.key_pem()),
                                          .clients = required.rule,
                                          .client_ca_file = files.write("ca.pem", required.ca_pem)},
                                         std::chrono::system_clock::now());
      if (!loaded.value) throw std::runtime_error(loaded.error);
      return loaded.value;
    };
    return std::make_shared<const virtual_hosts>(
        std::vector<std::shared_ptr<const material>>{with_chain(host), with_chain(rsa_host)},
        ticket_keys::generate());
  }
};

// On a thread of its own: OpenSSL's error queue and random generators, which are the
// thread's, are not among the objects of the session.
template <class Do>
void run_in(arena* memory, const Do& what) {
  std::thread([&] {
    if (!memory) return what();
    const allocating_from here(*memory);
    what();
  }).join();
}

// A session whose engine allocates in an arena of its own, which is out of reach
// except during the engine's calls.
struct apart {
  explicit apart(bool fenced) : is_fenced(fenced) {}

  const bool is_fenced;
  arena memory;
  std::unique_ptr<connection> both;

  template <class Do>
  void alone(const Do& what) {
    memory.allow_all();
    run_in(is_fenced ? &memory : nullptr, what);
    memory.allow_nothing();
  }
  void serve() {
    alone([&] { both->serve(); });
  }
};

void run_two(const std::shared_ptr<const virtual_hosts>& hosts, const client_wish& wish,
             bool is_fenced) {
  // A pool each: who gives a configuration back hands it over, which is not sharing.
  apart a(is_fenced);
  apart b(is_fenced);
  for (auto* one : {&a, &b})
    one->both = std::make_unique<connection>(std::make_shared<configurations>(hosts), wish);
  for (int turn = 0; turn < 6; ++turn)
    for (auto* one : {&a, &b}) {
      one->both->answer();
      one->serve();
    }
  for (auto* one : {&a, &b}) {
    REQUIRE(one->both->is_open());
    one->both->peer.write("hello", one->both->to_server);
    one->serve();
    REQUIRE(one->both->at_server == "hello");
    one->alone([&] { one->both->server->write("answer", one->both->to_client); });
    one->both->answer();
    REQUIRE(one->both->at_client == "answer");
  }
  // The end of one in the life of the other.
  a.alone([&] { a.both->server.reset(); });
  b.both->peer.write("still here", b.both->to_server);
  b.serve();
  CHECK(b.both->at_server == "hellostill here");
  b.alone([&] { b.both->server->client(); });
  b.alone([&] { b.both->server->close(b.both->to_client); });
  b.alone([&] { b.both->server.reset(); });
  a.memory.allow_all();  // the spare copies of the pools
  b.memory.allow_all();
}

TEST_CASE("two sessions touch neither each other's objects nor write to the shared material",
          "[tls][isolation]") {
  static const world all;
  const std::string name = GENERATE("localhost", "rsa.example");
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const client_wish wish{.server_name = name, .version = version, .certificate = &all.alice};
  // What OpenSSL sets up once and keeps is there from now on.
  run_in(nullptr, [&] { all.hosts(); });
  run_two(all.hosts(), wish, false);

  arena shared;
  std::shared_ptr<const virtual_hosts> hosts;
  run_in(&shared, [&] { hosts = all.hosts(); });
  shared.allow_reading();
  run_two(hosts, wish, true);
  shared.allow_all();
  hosts.reset();
}

TEST_CASE("every object of a live session is its own", "[tls][isolation]") {
  static const world all;
  const auto pool = std::make_shared<configurations>(all.hosts());
  connection a(pool, {.certificate = &all.alice});
  connection b(pool, {.certificate = &all.alice});
  for (auto* one : {&a, &b}) {
    one->answer();
    one->serve();
  }
  const auto* x = a.server->session();
  const auto* y = b.server->session();
  REQUIRE(x);
  REQUIRE(y);
  CHECK(x != y);
  CHECK(SSL_get_SSL_CTX(x) != SSL_get_SSL_CTX(y));
  CHECK(SSL_CTX_get_cert_store(SSL_get_SSL_CTX(x)) != SSL_CTX_get_cert_store(SSL_get_SSL_CTX(y)));
  CHECK(SSL_get_rbio(x) != SSL_get_rbio(y));
  CHECK(SSL_get_certificate(x) != SSL_get_certificate(y));
  CHECK(SSL_get_privatekey(x) != SSL_get_privatekey(y));
  CHECK(X509_get0_pubkey(SSL_get_certificate(x)) != X509_get0_pubkey(SSL_get_certificate(y)));
  const auto& shown = *pool->hosts().all().front().shown;
  CHECK(SSL_get_certificate(x) != shown.chain().front().get());
  CHECK(SSL_get_privatekey(x) != shown.key().get());
}

TEST_CASE("a configuration is leased to one session and kept only after a good end",
          "[tls][isolation]") {
  static const world all;
  const auto pool = std::make_shared<configurations>(all.hosts());
  const client_wish wish{.certificate = &all.alice};
  const SSL_CTX* used = nullptr;
  {
    connection both(pool, wish);
    both.exchange();
    REQUIRE(both.is_open());
    used = SSL_get_SSL_CTX(both.server->session());
    CHECK(pool->held().contexts == 0);
    CHECK(pool->held().copies == 1);  // given back when the handshake was complete
    CHECK(SSL_get_privatekey(both.server->session()) == nullptr);
    both.server->retire();
    CHECK(both.server->session() == nullptr);
    CHECK(pool->held().contexts == 1);
  }
  {
    connection both(pool, wish);
    both.exchange();
    REQUIRE(both.is_open());
    CHECK(SSL_get_SSL_CTX(both.server->session()) == used);
    CHECK(pool->held().contexts == 0);
  }
  CHECK(pool->held().contexts == 0);  // destroyed, not retired
  {
    connection both(pool, {});  // without the certificate that is required
    both.exchange();
    REQUIRE(both.server->why());
    both.server->retire();
  }
  CHECK(pool->held().contexts == 0);
  CHECK(pool->held().copies == 0);
}

TEST_CASE("what is kept for later sessions is bounded", "[tls][isolation]") {
  static const world all;
  const auto pool = std::make_shared<configurations>(all.hosts());
  const auto& host = pool->hosts().all().front();
  for (std::size_t i = 0; i < configurations::spare_contexts_max + 1; ++i)
    pool->give_back(configurations(all.hosts()).context());
  for (std::size_t i = 0; i < configurations::spare_copies_max + 1; ++i)
    pool->give_back(host, std::make_unique<host_copy>(*host.shown));
  CHECK(pool->held().contexts == configurations::spare_contexts_max);
  CHECK(pool->held().copies == configurations::spare_copies_max);
}

}  // namespace
