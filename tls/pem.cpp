#include "tls/pem.hpp"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "tls/error.hpp"
#include "tls/library.hpp"

namespace bulkhead::tls {
namespace {

// A bundle of all public authorities has about 250 KiB.
constexpr std::size_t file_bytes_max = 1024 * 1024;

// May hold a key: gone from memory when it is gone.
struct secret_text {
  std::string bytes;

  secret_text() = default;
  secret_text(const secret_text&) = delete;
  secret_text& operator=(const secret_text&) = delete;
  ~secret_text() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

std::string sentence(const std::string& file, std::string_view what) {
  return file + ": " + std::string(what);
}

// The error, or an empty text.
std::string read_file(const std::string& file, secret_text& to) {
  std::error_code failed;
  const auto status = std::filesystem::status(file, failed);
  if (!std::filesystem::exists(status))
    return sentence(file, failed && failed != std::errc::no_such_file_or_directory
                              ? failed.message()
                              : "no such file");
  if (std::filesystem::is_directory(status)) return sentence(file, "is a directory");
  if (!std::filesystem::is_regular_file(status)) return sentence(file, "is no regular file");
  errno = 0;
  std::ifstream stream;
  stream.rdbuf()->pubsetbuf(nullptr, 0);  // no copy of a key stays in a buffer of the stream
  stream.open(file, std::ios::binary);
  if (!stream)
    return sentence(file, errno ? std::generic_category().message(errno) : "cannot be opened");
  to.bytes.resize(file_bytes_max + 1);
  stream.read(to.bytes.data(), static_cast<std::streamsize>(to.bytes.size()));
  if (stream.bad()) return sentence(file, "cannot be read");
  const auto size = static_cast<std::size_t>(stream.gcount());
  if (size > file_bytes_max) return sentence(file, "is too large for a PEM file");
  to.bytes.resize(size);
  if (to.bytes.empty()) return sentence(file, "is empty");
  return {};
}

bio_ptr reader_of(const secret_text& text) {
  return bio_ptr(BIO_new_mem_buf(text.bytes.data(), static_cast<int>(text.bytes.size())));
}

x509_ptr next_certificate(BIO* from) {
  // Made first, so that its key is decoded by our library.
  X509* certificate = X509_new_ex(library(), nullptr);
  const bool read = PEM_read_bio_X509(from, &certificate, nullptr, nullptr) != nullptr;
  x509_ptr owner(certificate);
  return read ? std::move(owner) : nullptr;
}

bool is_at_end() {
  return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

struct password {
  std::string_view text;
  bool asked = false;
};

int give_password(char* room, int room_bytes, int, void* from) {
  auto& known = *static_cast<password*>(from);
  known.asked = true;
  if (known.text.empty() || known.text.size() > static_cast<std::size_t>(room_bytes)) return -1;
  std::ranges::copy(known.text, room);
  return static_cast<int>(known.text.size());
}

void keep_first_line(std::string& text) {
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
}

std::string_view fault_of(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "EC")) return {};
  if (!EVP_PKEY_is_a(key, "RSA")) return "is neither an RSA nor an EC key";
  return EVP_PKEY_get_bits(key) < 2048 ? "is an RSA key of less than 2048 bits" : "";
}

}  // namespace

pem_certificates read_certificates(const std::string& file) {
  secret_text text;
  if (auto fault = read_file(file, text); !fault.empty()) return {{}, std::move(fault)};
  clear_errors();
  const auto from = reader_of(text);
  pem_certificates result;
  while (auto one = next_certificate(from.get())) result.certificates.push_back(std::move(one));
  if (!is_at_end())
    result.error = sentence(file, "certificate " + std::to_string(result.certificates.size() + 1) +
                                      " in it cannot be read");
  else if (result.certificates.empty())
    result.error = sentence(file, "holds no PEM certificate");
  clear_errors();
  return result;
}

pem_key read_private_key(const std::string& file, const std::string& password_file) {
  secret_text text;
  secret_text password_text;
  if (auto fault = read_file(file, text); !fault.empty()) return {nullptr, std::move(fault)};
  if (!password_file.empty())
    if (auto fault = read_file(password_file, password_text); !fault.empty())
      return {nullptr, std::move(fault)};
  keep_first_line(password_text.bytes);
  password known{password_text.bytes};
  clear_errors();
  const auto from = reader_of(text);
  key_ptr key(
      PEM_read_bio_PrivateKey_ex(from.get(), nullptr, give_password, &known, library(), nullptr));
  clear_errors();
  if (key) {
    const auto fault = fault_of(key.get());
    return fault.empty() ? pem_key{std::move(key), {}} : pem_key{nullptr, sentence(file, fault)};
  }
  if (known.asked)
    return {nullptr,
            sentence(file, password_file.empty()
                               ? "the key is encrypted and no password file is given"
                               : "the password in " + password_file + " does not open it")};
  return {nullptr, sentence(file, text.bytes.find("PRIVATE KEY-----") == std::string::npos
                                      ? "holds no PEM private key"
                                      : "the private key in it cannot be read")};
}

}  // namespace bulkhead::tls
