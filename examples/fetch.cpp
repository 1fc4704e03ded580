// The client: fetches a URL, or sends standard input there, in pieces both ways.
//
//   ./fetch GET http://127.0.0.1:8080/
//   ./fetch PUT http://127.0.0.1:8080/notes/1 < note
//   ./fetch GET https://localhost:8443/ ca.pem        trusts that file instead of the system
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "actors/client.hpp"

namespace {

// "http://host/path?query" is the server and what is asked of it.
std::size_t target_begin(std::string_view url) {
  const auto authority = url.find("://");
  return authority == url.npos ? url.npos : url.find('/', authority + 3);
}

bool read_piece(std::string& piece) {
  piece.resize(16 * 1024);
  std::cin.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<std::size_t>(std::cin.gcount()));
  return std::cin.good();
}

int fetch(const std::string& method, const std::string& url, const std::string& ca_file) {
  const auto split = target_begin(url);
  bulkhead::client client(url.substr(0, split), {.ca_file = ca_file});
  auto request = client.request(method, split == url.npos ? "/" : url.substr(split));
  request.set("User-Agent", "fetch");
  bulkhead::client_streams streams;
  streams.sink = [](const bulkhead::client_answer&, std::string_view piece) { std::cout << piece; };
  if (method == "PUT" || method == "POST") {
    streams.source = read_piece;
    request.expect_continue();  // a server that wants none of it says so before it is sent
  }
  const auto answer = client.send(request, streams);
  std::cerr << answer.status << ' ' << answer.find("Content-Type") << '\n';
  return answer.status < 400 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: fetch METHOD URL [CA_FILE]\n";
    return 1;
  }
  return fetch(argv[1], argv[2], argc > 3 ? argv[3] : "");
} catch (const std::exception& wrong) {
  std::cerr << "fetch: " << wrong.what() << '\n';
  return 1;
}
