// What the tests of the blocking client share.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "actors/client.hpp"
#include "tests/support/served.hpp"
#include "tests/tls/certificates.hpp"

namespace bulkhead::tests {

// Plain and with TLS for "localhost"; which connection a request came by.
class both {
 public:
  explicit both(const tls_host& asked = {}) : server_(settings(asked)) {
    server_->get("/peer", [](const bulkhead::request& r) { return response::text(r.peer()); });
    server_->get("/subject", [](const bulkhead::request& r) {
      return response::text(r.tls() ? r.tls()->client_subject : "no TLS");
    });
    server_->receive({"PUT"}, "/count", [](const bulkhead::request&) {
      const auto size = std::make_shared<std::size_t>(0);
      return upload{[size](std::string_view piece) { *size += piece.size(); },
                    [size] { return response::text(std::to_string(*size)); }};
    });
    server_->get("/long", [](const bulkhead::request&) {
      return response::bytes("").set_source([left = 100](std::string& piece) mutable {
        piece.assign(10'000, 'x');
        return --left > 0;
      });
    });
    server_.start();
  }

  std::string plain() { return "http://" + server_->addresses()[0]; }
  std::string secure() {
    const auto address = server_->addresses()[1];
    return "https://localhost" + address.substr(address.rfind(':'));
  }
  std::string ca() const { return files_.file("cert.pem"); }
  const workshop& files() const { return files_; }

 private:
  config settings(tls_host host) {
    const auto one = certify({.names = {"localhost"}});
    host.certificate_file = files_.write("cert.pem", one.certificate_pem());
    host.key_file = files_.write("key.pem", one.key_pem());
    auto result = on_loopback();
    result.tls_listen = {"127.0.0.1:0"};
    result.tls_hosts = {host};
    return result;
  }

  workshop files_;
  served server_;
};

// What send() throws, and that it names the server.
inline client_failure failure_of(client& c, const client_request& asked,
                                 const client_streams& streams = {}) {
  try {
    c.send(asked, streams);
  } catch (const client_error& why) {
    CHECK_THAT(why.what(), Catch::StartsWith("http"));
    INFO(why.what());
    return why.why();
  }
  FAIL("nothing was thrown");
  return {};
}

inline client_failure failure_of(client&& c, const client_request& asked) {
  return failure_of(c, asked);
}

// Pieces of so many octets, so many of them.
inline content_source pieces(std::size_t octets, int count) {
  return [octets, left = count](std::string& piece) mutable {
    piece.assign(octets, 'p');
    return --left > 0;
  };
}

}  // namespace bulkhead::tests
