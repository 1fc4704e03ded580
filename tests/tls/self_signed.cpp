#include "tls/self_signed.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>

#include "tests/tls/connection.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;
namespace fs = std::filesystem;

TEST_CASE("a self-signed certificate serves the machine's own names", "[tls]") {
  const workshop files;
  const auto now = std::chrono::system_clock::now();
  const auto certificate = files.file("localhost.pem");
  const auto key = files.file("localhost.key");
  REQUIRE(write_self_signed(certificate, key, now).empty());
  const auto loaded = material::load({.certificate_file = certificate, .key_file = key}, now);
  REQUIRE(loaded.value);
  CHECK(loaded.value->names() == std::vector<std::string>{"localhost"});
  CHECK(loaded.value->expires() <= now + self_signed_lifetime);
  auto* shown = loaded.value->chain().front().get();
  CHECK(X509_check_ip_asc(shown, "127.0.0.1", 0) == 1);
  CHECK(X509_check_ip_asc(shown, "::1", 0) == 1);
  CHECK(X509_check_host(shown, "localhost", 0, 0, nullptr) == 1);
  connection both(configurations_of({loaded.value}), {.server_name = "localhost"});
  both.exchange();
  CHECK(both.is_open());
}

TEST_CASE("only its owner may read the key and nothing unfinished stays", "[tls]") {
  const workshop files;
  const auto now = std::chrono::system_clock::now();
  for (int again = 0; again < 2; ++again)
    REQUIRE(write_self_signed(files.file("c.pem"), files.file("k.pem"), now).empty());
  const auto allowed = fs::status(files.file("k.pem")).permissions();
  CHECK(allowed == (fs::perms::owner_read | fs::perms::owner_write));
  const auto folder = fs::path(files.file("k.pem")).parent_path();
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 2);
}

TEST_CASE("a place where no file can be written is named", "[tls]") {
  const workshop files;
  const auto key = files.file("missing/k.pem");
  CHECK(write_self_signed(files.file("c.pem"), key, std::chrono::system_clock::now()) ==
        key + ": No such file or directory");
  CHECK_FALSE(fs::exists(files.file("c.pem")));
}

TEST_CASE("each self-signed certificate has a key of its own", "[tls]") {
  const auto now = std::chrono::system_clock::now();
  CHECK(make_self_signed(now).key != make_self_signed(now).key);
}

}  // namespace
