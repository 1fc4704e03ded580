#include "tls/material.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>

#include "tests/tls/certificates.hpp"
#include "tests/tls/connection.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;

struct world {
  workshop files;
  certified root = certify({.common_name = "root", .is_authority = true});
  certified middle = certify({.common_name = "middle", .is_authority = true}, &root);
  certified host = certify({.names = {"a.example"}}, &middle);
  certified other = certify({.names = {"b.example"}});
  std::string good_certificate = files.write("good.pem", host.certificate_pem());
  std::string good_key = files.write("good.key", host.key_pem());

  material::loaded load(const std::string& certificate, const std::string& key,
                        const std::string& password = {}) const {
    return material::load(
        {.certificate_file = certificate, .key_file = key, .password_file = password},
        std::chrono::system_clock::now());
  }
  std::string fault(const std::string& certificate, const std::string& key,
                    const std::string& password = {}) const {
    const auto loaded = load(certificate, key, password);
    CHECK_FALSE(loaded.value);
    return loaded.error;
  }
};

const world& all() {
  static const world made;
  return made;
}

TEST_CASE("material loads chains and keys in the usual forms", "[tls]") {
  const auto& files = all().files;
  SECTION("one certificate") {
    const auto loaded = all().load(all().good_certificate, all().good_key);
    REQUIRE(loaded.value);
    CHECK(loaded.error.empty());
    CHECK(loaded.value->names() == std::vector<std::string>{"a.example"});
    CHECK(loaded.value->expires() > std::chrono::system_clock::now());
    CHECK(loaded.value->expires() < std::chrono::system_clock::now() + std::chrono::hours(25));
  }
  SECTION("a chain in order") {
    const auto chain =
        files.write("chain.pem", "some text\n" + all().host.certificate_pem() +
                                     all().middle.certificate_pem() + all().root.certificate_pem());
    const auto loaded = all().load(chain, all().good_key);
    REQUIRE(loaded.value);
    CHECK(loaded.value->chain().size() == 3);
    connection both(configurations_of({loaded.value}));
    both.exchange();
    REQUIRE(both.is_open());
    CHECK(sk_X509_num(SSL_get_peer_cert_chain(both.peer.raw())) == 3);
  }
  SECTION("certificate and key in one file") {
    const auto both = files.write("both.pem", all().host.key_pem() + all().host.certificate_pem());
    CHECK(all().load(both, both).value);
  }
  SECTION("an encrypted key with a password file") {
    const auto key = files.write("locked.key", all().host.key_pem("open sesame"));
    CHECK(
        all().load(all().good_certificate, key, files.write("password", "open sesame\nx\n")).value);
  }
  SECTION("RSA") {
    CHECK(files.host({"rsa.example"}, {}, true));
  }
}

TEST_CASE("material that is broken is refused with file and reason", "[tls]") {
  const auto& files = all().files;
  const auto& pem = all().good_certificate;
  const auto& key = all().good_key;
  const auto missing = files.file("missing.pem");
  CHECK(all().fault(missing, key) == missing + ": no such file");
  CHECK(all().fault(pem, missing) == missing + ": no such file");
  const auto folder = std::filesystem::path(missing).parent_path().string();
  CHECK(all().fault(folder, key) == folder + ": is a directory");
  CHECK(all().fault(pem, folder) == folder + ": is a directory");
  const auto empty = files.write("empty.pem", "");
  CHECK(all().fault(empty, key) == empty + ": is empty");
  CHECK(all().fault(pem, empty) == empty + ": is empty");
  CHECK(all().fault(key, key) == key + ": holds no PEM certificate");
  CHECK(all().fault(pem, pem) == pem + ": holds no PEM private key");
  const auto foreign = files.write("foreign.key", all().other.key_pem());
  CHECK(all().fault(pem, foreign) ==
        foreign + ": the key does not belong to the certificate in " + pem);
  const auto large = files.write("large.pem", std::string(2'000'000, 'x'));
  CHECK(all().fault(large, key) == large + ": is too large for a PEM file");
}

TEST_CASE("certificates that clients would refuse are refused first", "[tls][rfc8446-4.4.2]") {
  const auto& files = all().files;
  const auto refused = [&](const certificate_wish& wish) {
    const auto made = certify(wish);
    return all().fault(files.write("bad.pem", made.certificate_pem()),
                       files.write("bad.key", made.key_pem()));
  };
  const auto bad = files.file("bad.pem");
  CHECK(refused({.valid_until_s = -10}) == bad + ": the certificate is expired");
  CHECK(refused({.valid_from_s = 3600}) == bad + ": the certificate is not valid yet");
  CHECK(refused({.purpose = "clientAuth"}) == bad + ": the certificate is not for servers");
  const auto swapped =
      files.write("swapped.pem", all().host.certificate_pem() + all().root.certificate_pem());
  CHECK_THAT(all().fault(swapped, all().good_key),
             Catch::StartsWith(swapped + ": certificate 2 of 2 did not sign the one before it"));
}

TEST_CASE("a broken certificate or key says so", "[tls]") {
  const auto& files = all().files;
  auto text = all().host.certificate_pem();
  text[text.size() / 2] ^= 2;
  const auto broken =
      files.write("broken.pem", all().middle.certificate_pem() + text.substr(0, text.size() - 60));
  CHECK(all().fault(broken, all().good_key) == broken + ": certificate 2 in it cannot be read");
  auto key_text = all().host.key_pem();
  key_text.replace(40, 10, "AAAAAAAAAA");
  const auto key = files.write("broken.key", key_text);
  CHECK(all().fault(all().good_certificate, key) == key + ": the private key in it cannot be read");
}

TEST_CASE("an encrypted key needs its password and no message shows either", "[tls][B061][B157]") {
  const auto& files = all().files;
  const auto key = files.write("locked.key", all().host.key_pem("open sesame"));
  CHECK(all().fault(all().good_certificate, key) ==
        key + ": the key is encrypted and no password file is given");
  const auto wrong = files.write("wrong", "close sesame");
  CHECK(all().fault(all().good_certificate, key, wrong) ==
        key + ": the password in " + wrong + " does not open it");
  const auto none = files.file("none");
  CHECK(all().fault(all().good_certificate, key, none) == none + ": no such file");
}

TEST_CASE("asking for client certificates needs somebody to trust", "[tls]") {
  material_files files{.certificate_file = all().good_certificate,
                       .key_file = all().good_key,
                       .clients = client_certificates::required};
  const auto load = [&] { return material::load(files, std::chrono::system_clock::now()); };
  CHECK_THAT(load().error, Catch::Contains("no CA file"));
  files.client_ca_file = all().good_key;
  CHECK(load().error == all().good_key + ": holds no PEM certificate");
  files.client_ca_file = all().good_certificate;
  CHECK(load().value);
}

TEST_CASE("protocols have 1 to 255 bytes", "[tls][rfc7301-3.1]") {
  material_files files{.certificate_file = all().good_certificate, .key_file = all().good_key};
  for (const std::size_t size : {0U, 1U, 255U, 256U}) {
    files.protocols = {std::string(size, 'x')};
    CHECK(bool(material::load(files, std::chrono::system_clock::now()).value) ==
          (size >= 1 && size <= 255));
  }
}

}  // namespace
