#include "protocol/authority.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace bulkhead::protocol;

TEST_CASE("authority accepts a host with and without a port", "[protocol][rfc9110-7.2]") {
  for (const char* sound : {"a",
                            "localhost",
                            "LOCALHOST",
                            "a.b-c.d1.example",
                            "localhost.",
                            "a:",
                            "a:0",
                            "a:1",
                            "a:80",
                            "a:65535",
                            "a:00080",
                            "127.0.0.1",
                            "127.0.0.1:8080",
                            "999.1.1.1",
                            "a%20b",
                            "a,b;c=d!",
                            "[::1]",
                            "[2001:db8::1]:443",
                            "[::]",
                            "[::1]:"}) {
    INFO(sound);
    CHECK(is_host_and_port(sound));
  }
}

TEST_CASE("authority refuses what is no host or no port", "[protocol][rfc3986-3.2.2]") {
  for (
      const char* bad :
      {"",         ":80",   ":",       " a",      "a ",       "a b",    "a@b",          "user:80@b",
       "http://a", "a/b",   "a?b",     "a#b",     "a\\b",     "<a>",    "a|b",          "\"a\"",
       "a:80a",    "a:+80", "a:80:80", "a:65536", "a:000080", "a:-1",   "::1",          "[::1",
       "[]",       "[]:80", "[zz::1]", "[::1]x",  "[::1]:x",  "[v1.x]", "[::1%25eth0]", "%",
       "%4",       "%zz",   "a%4",     "a\tb",    "a\x01",    "a\x7f",  "\xc3\xa9"}) {
    INFO(bad);
    CHECK_FALSE(is_host_and_port(bad));
  }
  CHECK_FALSE(is_host_and_port(std::string("a\0b", 3)));
}

TEST_CASE("authority wants a port in authority-form", "[protocol][rfc9112-3.2.3]") {
  CHECK(is_host_with_port("a:443"));
  CHECK(is_host_with_port("[::1]:443"));
  for (const char* bad : {"", "a", "a:", "[::1]", ":443", "a:99999", "a:443/", "u@a:443"}) {
    INFO(bad);
    CHECK_FALSE(is_host_with_port(bad));
  }
}

TEST_CASE("authority knows the forms of an IPv6 address", "[protocol][rfc3986-3.2.2]") {
  for (const char* sound : {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::",
                            "::2:3:4:5:6:7:8", "1::8", "ABCD:ef01::", "1:2:3:4:5:6:1.2.3.4",
                            "::1.2.3.4", "1::255.255.255.255", "::ffff:0.0.0.0"}) {
    INFO(sound);
    CHECK(is_ipv6_address(sound));
  }
  for (const char* bad : {"",
                          ":",
                          ":::",
                          "1",
                          "1:2:3:4:5:6:7",
                          "1:2:3:4:5:6:7:8:9",
                          "1:2:3:4:5:6:7:8::",
                          "1::2::3",
                          ":1::2",
                          "1::2:",
                          "12345::",
                          "g::",
                          "1.2.3.4",
                          "1.2.3.4::",
                          "::1.2.3",
                          "::1.2.3.256",
                          "::1.2.3.04",
                          "::1.2.3.4.5",
                          "::1.2.3.4:5",
                          "1:2:3:4:5:6:7:1.2.3.4"}) {
    INFO(bad);
    CHECK_FALSE(is_ipv6_address(bad));
  }
}
