// TLS in memory, both ends on one thread: what a session's own configuration costs, and
// what a session holds. Figures of both ends together; compare within one run only.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <openssl/ssl.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/context.hpp"
#include "tls/engine.hpp"
#include "tls/library.hpp"
#include "tls/self_signed.hpp"

namespace {

using namespace bulkhead::tls;

std::shared_ptr<const virtual_hosts> make_hosts() {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = (folder / ("tls_bench." + std::to_string(std::rand()))).string();
  const auto now = std::chrono::system_clock::now();
  if (!write_self_signed(file + ".pem", file + ".key", now).empty()) std::abort();
  auto loaded = material::load({.certificate_file = file + ".pem", .key_file = file + ".key"}, now);
  std::filesystem::remove(file + ".pem");
  std::filesystem::remove(file + ".key");
  return std::make_shared<const virtual_hosts>(
      std::vector<std::shared_ptr<const material>>{loaded.value}, ticket_keys::generate());
}

const std::shared_ptr<const virtual_hosts>& hosts() {
  static const auto made = make_hosts();
  return made;
}

// The client's end, cheap by the room's library and the same in all cases.
class client {
 public:
  client() { SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION); }

  void connect(bool resumes) {
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_connect_state(ssl_.get());
    auto* both = make_buffer_bio(wire_).release();
    SSL_set_bio(ssl_.get(), both, both);
    if (resumes && ticket_) SSL_set_session(ssl_.get(), ticket_.get());
  }
  bool step(std::string& from_server, std::string& to_server) {
    wire_ = {from_server, &to_server};
    const bool done = SSL_do_handshake(ssl_.get()) == 1;
    if (done) {
      char byte = 0;
      SSL_read(ssl_.get(), &byte, 1);  // the ticket
      if (!ticket_ && SSL_SESSION_is_resumable(SSL_get0_session(ssl_.get())))
        ticket_.reset(SSL_get1_session(ssl_.get()));
    }
    wire_ = {};
    from_server.clear();
    clear_errors();
    return done;
  }
  void disconnect() {
    SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    ssl_.reset();
  }
  SSL* raw() { return ssl_.get(); }

 private:
  ssl_ctx_ptr context_{SSL_CTX_new_ex(library(), nullptr, TLS_client_method())};
  wire wire_;
  ssl_ptr ssl_;
  std::unique_ptr<SSL_SESSION, freed_by<SSL_SESSION_free>> ticket_;
};

void shake_hands(engine& server, client& peer, bool resumes) {
  std::string to_server;
  std::string to_client;
  peer.connect(resumes);
  for (bool done = false; !done || !server.is_open();) {
    done = peer.step(to_client, to_server);
    const auto got = server.handshake(to_server, to_client);
    if (got.what == engine::status::failed) std::abort();
    to_server.erase(0, got.consumed);
  }
  peer.step(to_client, to_server);
}

enum class way { rebuild, nursery, lease };

void handshake(benchmark::State& state, way pays, bool resumes) {
  auto pool = std::make_shared<configurations>(hosts());
  client peer;
  {
    engine first(pool);
    shake_hands(first, peer, false);
    peer.disconnect();
  }
  for (auto _ : state) {
    if (pays != way::lease) {
      state.PauseTiming();
      pool = std::make_shared<configurations>(hosts());
      if (pays == way::nursery) {  // built while nobody waited
        pool->give_back(make_context());
        const auto& host = pool->hosts().all().front();
        pool->give_back(host, std::make_unique<host_copy>(*host.shown));
      }
      state.ResumeTiming();
    }
    engine server(pool);
    shake_hands(server, peer, resumes);
    if (server.is_resumed() != resumes) return state.SkipWithError("wrong kind of handshake");
    std::string out;
    server.close(out);
    server.retire();
    peer.disconnect();
  }
}

// The price of isolation: one SSL_CTX for all, otherwise the same session.
void handshake_shared(benchmark::State& state, bool resumes) {
  auto pool = std::make_shared<configurations>(hosts());
  client peer;
  const auto context = make_context();
  const auto& host = hosts()->all().front();
  host_copy shown(*host.shown);
  for (bool first = true; auto _ : state) {
    session_state known;
    known.pool = pool;
    known.host = &host;
    wire through;
    const ssl_ptr server(SSL_new(context.get()));
    SSL_set_app_data(server.get(), &known);
    auto* both = make_buffer_bio(through).release();
    SSL_set_bio(server.get(), both, both);
    SSL_set_accept_state(server.get());
    shown.install(server.get(), *host.shown);
    std::string to_server;
    std::string to_client;
    peer.connect(resumes && !first);
    for (bool ready = false, done = false; !done || !ready;) {
      done = peer.step(to_client, to_server);
      through = {to_server, &to_client};
      ready = SSL_accept(server.get()) == 1;
      clear_errors();
      through = {};
      to_server.clear();
    }
    peer.step(to_client, to_server);
    if (!first && (SSL_session_reused(server.get()) == 1) != resumes)
      return state.SkipWithError("wrong kind of handshake");
    std::string out;
    through = {{}, &out};
    SSL_shutdown(server.get());
    peer.disconnect();
    first = false;
  }
}

void build_context(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(make_context());
}

void build_copy(benchmark::State& state) {
  const auto& shown = *hosts()->all().front().shown;
  for (auto _ : state) benchmark::DoNotOptimize(std::make_unique<host_copy>(shown));
}

void duplicate_key(benchmark::State& state) {
  auto* const key = hosts()->all().front().shown->key().get();
  for (auto _ : state) benchmark::DoNotOptimize(key_ptr(EVP_PKEY_dup(key)));
}

void build_unfiltered_context(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ssl_ctx_ptr(SSL_CTX_new(TLS_server_method())));
}

// 16 KiB at a time, encrypted and appended to an output.
void write_16_kib(benchmark::State& state) {
  auto pool = std::make_shared<configurations>(hosts());
  client peer;
  engine server(pool);
  shake_hands(server, peer, false);
  const std::string content(16 * 1024, 'x');
  std::string out;
  for (auto _ : state) {
    out.clear();
    server.write(content, out);
  }
  state.SetBytesProcessed(state.iterations() * std::int64_t{16 * 1024});
  peer.disconnect();
}

// Bytes of the heap for each of 1,000 idle sessions after a request.
void idle_memory(benchmark::State& state) {
  auto pool = std::make_shared<configurations>(hosts());
  for (auto _ : state) {
    client peer;
    std::vector<std::unique_ptr<engine>> idle;
    const auto before = ::mallinfo2().uordblks;
    for (int i = 0; i < 1000; ++i) {
      idle.push_back(std::make_unique<engine>(pool));
      shake_hands(*idle.back(), peer, false);
      std::string room(100, ' ');
      std::string out;
      idle.back()->read({}, room, out);
      idle.back()->write("answer", out);
      peer.disconnect();
    }
    state.counters["bytes"] = static_cast<double>(::mallinfo2().uordblks - before) / 1000;
  }
}

BENCHMARK_CAPTURE(handshake, full_rebuild, way::rebuild, false);
BENCHMARK_CAPTURE(handshake, full_nursery, way::nursery, false);
BENCHMARK_CAPTURE(handshake, full_lease, way::lease, false);
BENCHMARK_CAPTURE(handshake_shared, full, false);
BENCHMARK_CAPTURE(handshake, resumed_rebuild, way::rebuild, true);
BENCHMARK_CAPTURE(handshake, resumed_nursery, way::nursery, true);
BENCHMARK_CAPTURE(handshake, resumed_lease, way::lease, true);
BENCHMARK_CAPTURE(handshake_shared, resumed, true);
BENCHMARK(build_context);
BENCHMARK(build_copy);
BENCHMARK(duplicate_key);
BENCHMARK(build_unfiltered_context);
BENCHMARK(write_16_kib);
BENCHMARK(idle_memory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
