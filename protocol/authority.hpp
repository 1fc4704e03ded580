// Host and port, as the Host field and request targets carry them.
#pragma once

#include <string_view>

namespace bulkhead::protocol {

// Whether `text` is a non-empty uri-host with an optional port (RFC 9110 section 7.2, RFC 3986
// section 3.2.2): a registered name, an IPv4 address or a bracketed IPv6 address, then nothing, a
// colon, or a colon and a port from 0 to 65535. Userinfo and IPvFuture are refused.
bool is_host_and_port(std::string_view text);

// The same with a port that must be there and not empty: authority-form, RFC 9112 section 3.2.3.
bool is_host_with_port(std::string_view text);

// Whether `text` is an IPv6address of RFC 3986, without brackets.
bool is_ipv6_address(std::string_view text);

}  // namespace bulkhead::protocol
