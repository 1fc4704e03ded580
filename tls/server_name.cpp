#include "tls/server_name.hpp"

#include <openssl/x509v3.h>

#include <algorithm>

#include "tls/openssl.hpp"

namespace bulkhead::tls {
namespace {

bool is_label_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_address(std::string_view name) {
  return name.find_first_not_of("0123456789.") == name.npos;
}

bool are_labels(std::string_view name) {
  char before = '.';
  for (const char c : name) {
    if (c == '.' ? before == '.' : !is_label_byte(c)) return false;
    before = c;
  }
  return before != '.';
}

void add(std::string_view raw, std::vector<std::string>& names) {
  const bool wild = raw.starts_with("*.");
  auto name = normal_server_name(wild ? raw.substr(2) : raw);
  if (name.empty()) return;
  if (wild) name.insert(0, "*.");
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

std::string_view text_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

void add_common_name(const X509& certificate, std::vector<std::string>& names) {
  const auto* subject = X509_get_subject_name(&certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at >= 0) add(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))), names);
}

std::size_t number_at(std::span<const unsigned char> bytes, std::size_t at) {
  return static_cast<std::size_t>(bytes[at] << 8 | bytes[at + 1]);
}

}  // namespace

std::string normal_server_name(std::string_view name) {
  if (name.empty() || name.size() > server_name_bytes_max) return {};
  std::string normal(name);
  std::ranges::transform(normal, normal.begin(), lower);
  return are_labels(normal) && !is_address(normal) ? normal : std::string();
}

std::vector<std::string> names_of(const X509& certificate) {
  std::vector<std::string> names;
  const general_names_ptr alternative(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (!alternative) add_common_name(certificate, names);
  for (int i = 0; alternative && i < sk_GENERAL_NAME_num(alternative.get()); ++i) {
    const auto* one = sk_GENERAL_NAME_value(alternative.get(), i);
    if (one->type == GEN_DNS) add(text_of(one->d.dNSName), names);
  }
  return names;
}

std::string requested_server_name(std::span<const unsigned char> extension) {
  // list length (2), then entries of type (1), length (2) and name; there may be one
  // entry of each type, and host_name, 0, is the only type there is.
  constexpr std::size_t prefix_bytes = 5;
  if (extension.size() < prefix_bytes || extension[2] != 0) return {};
  if (number_at(extension, 0) != extension.size() - 2) return {};
  const auto bytes = number_at(extension, 3);
  if (bytes != extension.size() - prefix_bytes) return {};
  return normal_server_name(
      {reinterpret_cast<const char*>(extension.data()) + prefix_bytes, bytes});
}

}  // namespace bulkhead::tls
