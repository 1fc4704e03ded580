// The blocking client: whom it connects to, when again, and until when.
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "actors/client.hpp"
#include "actors/socket.hpp"
#include "tests/actors/client_peers.hpp"
#include "tests/support/scripted_server.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

// Answers one request, and says with close_notify that this was all, or does not.
void answer_over_tls(int listener, const certified& host, std::string_view text, bool says_so) {
  const tls::ssl_ctx_ptr context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_use_certificate(context.get(), host.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), host.key.get());
  const actors::unique_fd connection(::accept(listener, nullptr, nullptr));
  const tls::ssl_ptr session(SSL_new(context.get()));
  SSL_set_fd(session.get(), connection.get());
  std::array<char, 4096> head{};
  if (SSL_accept(session.get()) != 1) return;
  SSL_read(session.get(), head.data(), static_cast<int>(head.size()));
  SSL_write(session.get(), text.data(), static_cast<int>(text.size()));
  if (says_so) SSL_shutdown(session.get());
}

}  // namespace

TEST_CASE("client sends an idempotent request once more when a kept connection has ended",
          "[client][rfc9112-9.3.1]") {
  scripted server({ok, ""}, {ok});
  client c(server.origin());
  CHECK(c.get("/").content == "ok");
  CHECK(c.get("/").content == "ok");
  CHECK(server.heads() == 3);
}

TEST_CASE("client sends a request once more only once", "[client][rfc9112-9.3.1]") {
  scripted server({ok, ""}, {""}, {ok});
  client c(server.origin());
  CHECK(c.get("/").content == "ok");
  CHECK(failure_of(c, c.request("GET", "/")) == client_failure::closed);
  CHECK(server.heads() == 3);
  CHECK(c.get("/").content == "ok");
}

TEST_CASE("client never sends again what may have been acted upon", "[client][rfc9110-9.2.2]") {
  SECTION("a request that is not idempotent") {
    scripted server({ok, ""}, {ok});
    client c(server.origin());
    c.get("/");
    CHECK(failure_of(c, c.request("POST", "/")) == client_failure::closed);
    CHECK(server.heads() == 2);
    CHECK(c.get("/").content == "ok");
  }
  SECTION("a request of which an answer has begun") {
    scripted server({ok, "H"}, {ok});
    client c(server.origin());
    c.get("/");
    CHECK(failure_of(c, c.request("GET", "/")) == client_failure::closed);
    CHECK(server.heads() == 2);
  }
  SECTION("a request on a new connection") {
    scripted server({""}, {ok});
    client c(server.origin());
    CHECK(failure_of(c, c.request("GET", "/")) == client_failure::closed);
    CHECK(server.heads() == 1);
  }
  SECTION("content from a source that was asked") {
    scripted server({ok, ""}, {ok});
    client c(server.origin());
    c.get("/");
    CHECK(failure_of(c, c.request("PUT", "/"), {.source = pieces(1, 1), .length = 1}) ==
          client_failure::closed);
    CHECK(server.heads() == 2);
  }
}

TEST_CASE("client gives up at the deadline of the exchange however much comes", "[client]") {
  served s;
  s->get("/drip", [](const bulkhead::request&) {
    return response::bytes("").set_source([left = 10'000](std::string& piece) mutable {
      std::this_thread::sleep_for(1ms);
      piece = "drop";
      return --left > 0;
    });
  });
  client c("http://" + s.start(), {.deadlines = {.exchange = 100ms}});
  CHECK(failure_of(c, c.request("GET", "/drip")) == client_failure::deadline);
  const auto endless = [](std::string&) { return true; };
  CHECK(failure_of(c, c.request("POST", "/echo"), {.source = endless}) == client_failure::deadline);
}

TEST_CASE("client names a server that it can't reach", "[client]") {
  // Nobody listens on a port that was free a moment ago.
  const auto gone = actors::bound_to(actors::listen_on("127.0.0.1:0", 1).front().get());
  client c("http://" + gone);
  CHECK_THROWS_WITH(c.get("/"), Catch::StartsWith("http://" + gone + ": cannot connect to"));
  CHECK(failure_of(c, c.request("GET", "/")) == client_failure::connect);
  client unknown("http://1.2.3");
  CHECK(failure_of(unknown, unknown.request("GET", "/")) == client_failure::resolve);
}

TEST_CASE("client verifies whom it speaks to unless told otherwise", "[client][rfc9110-4.3.4]") {
  both servers;
  const auto url = servers.secure();
  const auto asked = client(url, {.verify = false}).request("GET", "/hello");
  CHECK(client(url, {.ca_file = servers.ca()}).send(asked).content == "hello");
  CHECK(client(url, {.verify = false}).send(asked).content == "hello");
  CHECK(failure_of(client(url), asked) == client_failure::certificate);
  const auto other = certify({.names = {"localhost"}});
  const auto other_ca = servers.files().write("other.pem", other.certificate_pem());
  CHECK(failure_of(client(url, {.ca_file = other_ca}), asked) == client_failure::certificate);
  const auto by_address = "https://127.0.0.1" + url.substr(url.rfind(':'));
  CHECK(failure_of(client(by_address, {.ca_file = servers.ca()}), asked) ==
        client_failure::certificate);
  CHECK_THROWS_WITH(client(url, {.ca_file = "no such file"}), Catch::Contains("no such file"));
}

TEST_CASE("client that meets a server without TLS or a client without meets one with it",
          "[client]") {
  both servers;
  const auto plain_port = servers.plain().substr(servers.plain().rfind(':'));
  client too_secure("https://localhost" + plain_port);
  CHECK(failure_of(too_secure, too_secure.request("GET", "/")) == client_failure::tls);
  const auto tls_port = servers.secure().substr(servers.secure().rfind(':'));
  CHECK(client("http://127.0.0.1" + tls_port).get("/hello").status == 400);
}

TEST_CASE("client shows its own certificate", "[client]") {
  const workshop files;
  const auto authority = certify({.common_name = "authority", .is_authority = true});
  const auto mine = certify({.common_name = "me", .purpose = "clientAuth"}, &authority);
  both servers({.client_ca_file = files.write("ca.pem", authority.certificate_pem()),
                .client_certificates = "required"});
  const client_settings settings{.ca_file = servers.ca(),
                                 .certificate_file = files.write("me.pem", mine.certificate_pem()),
                                 .key_file = files.write("me.key", mine.key_pem("secret")),
                                 .password_file = files.write("password", "secret\n")};
  CHECK(client(servers.secure(), settings).get("/subject").content == "CN=me");
  client without(servers.secure(), {.ca_file = servers.ca()});
  CHECK(failure_of(without, without.request("GET", "/subject")) == client_failure::tls);
}

TEST_CASE("client takes the end of TLS for the end of content only when it is announced",
          "[client][rfc9112-9.8]") {
  const workshop files;
  const auto host = certify({.names = {"localhost"}});
  const client_settings settings{.ca_file = files.write("ca.pem", host.certificate_pem())};
  for (const bool says_so : {true, false}) {
    const auto listener = blocking_listener();
    const auto address = actors::bound_to(listener.get());
    std::thread server([&] {
      answer_over_tls(listener.get(), host, "HTTP/1.1 200 OK\r\n\r\nperhaps all", says_so);
    });
    client c("https://localhost" + address.substr(address.rfind(':')), settings);
    const auto asked = c.request("GET", "/");
    if (says_so)
      CHECK(c.send(asked).content == "perhaps all");
    else
      CHECK(failure_of(c, asked) == client_failure::closed);
    server.join();
  }
}
