// Names of virtual hosts: those that a certificate is for, and the one that a
// client asks for.
#pragma once

#include <openssl/x509.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::tls {

// RFC 1035 section 2.3.4.
inline constexpr std::size_t server_name_bytes_max = 253;

// In lower case; empty: no name of a host (RFC 6066 section 3: no address, no dot at
// the end). "*" is allowed as the first label of a certificate's name only.
std::string normal_server_name(std::string_view name);

// The DNS names of a certificate in normal form, each once, in its order: those of
// subjectAltName, or the common name if there is no such extension (RFC 6125 section
// 6.4.4). A wildcard stands for one whole label at the left: "*.example.com".
std::vector<std::string> names_of(const X509& certificate);

// The host name in a server_name extension (RFC 6066 section 3), in normal form;
// empty: there is none.
std::string requested_server_name(std::span<const unsigned char> extension);

}  // namespace bulkhead::tls
