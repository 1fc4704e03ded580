// Request methods, RFC 9110 section 9. A method is any token and is compared with its case.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

enum class method : std::uint8_t {
  unknown,  // a well-formed token that is none of the others
  get,
  head,
  post,
  put,
  delete_,
  connect,
  options,
  trace,
  patch,
};

constexpr method method_of(std::string_view token) {
  if (token == "GET") return method::get;
  if (token == "POST") return method::post;
  if (token == "HEAD") return method::head;
  if (token == "PUT") return method::put;
  if (token == "DELETE") return method::delete_;
  if (token == "PATCH") return method::patch;
  if (token == "OPTIONS") return method::options;
  if (token == "CONNECT") return method::connect;
  if (token == "TRACE") return method::trace;
  return method::unknown;
}

constexpr std::string_view name_of(method known) {
  switch (known) {
    case method::get:
      return "GET";
    case method::head:
      return "HEAD";
    case method::post:
      return "POST";
    case method::put:
      return "PUT";
    case method::delete_:
      return "DELETE";
    case method::connect:
      return "CONNECT";
    case method::options:
      return "OPTIONS";
    case method::trace:
      return "TRACE";
    case method::patch:
      return "PATCH";
    case method::unknown:
      break;
  }
  return "unknown";
}

}  // namespace bulkhead::protocol
