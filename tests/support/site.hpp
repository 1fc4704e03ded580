// A folder with files, served at /static/, and what its tests look at.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bulkhead::tests {

// A value of the field in an answer; empty when there is none.
inline std::string field(const std::string& answer, const std::string& name) {
  const auto at = answer.find("\r\n" + name + ": ");
  if (at == std::string::npos || at > answer.find("\r\n\r\n")) return {};
  const auto begin = at + name.size() + 4;
  return answer.substr(begin, answer.find("\r\n", begin) - begin);
}

class site {
 public:
  explicit site(config settings = on_loopback()) : server_(std::move(settings)) {
    std::filesystem::create_directories(folder_.file("root/docs"));
    std::filesystem::create_directories(folder_.file("root/bare"));
    std::filesystem::create_directories(folder_.file("root/.git"));
    add("hello.txt", "hello, file");
    add("digits", "0123456789");
    add("empty.css", "");
    add("a b.HTML", "<p>");
    add("docs/index.html", "<h1>docs</h1>");
    add(".env", "secret");
    add(".git/config", "secret");
    write(folder_.file("outside"), "secret");
    server_->get("/static/{path...}", files(folder_.file("root")));
  }
  server* operator->() { return server_.operator->(); }
  std::string path(const std::string& name) const { return folder_.file("root/" + name); }
  void add(const std::string& name, const std::string& content) { write(path(name), content); }
  // One of so many zeros, which takes no room.
  void add_sparse(const std::string& name, std::size_t bytes) {
    add(name, "");
    std::filesystem::resize_file(path(name), bytes);
  }
  std::string start() { return server_.start(); }
  int count(reason why) { return server_.count(why); }

 private:
  static void write(const std::string& name, const std::string& content) {
    std::ofstream(name, std::ios::binary) << content;
  }

  temporary_folder folder_;
  served server_;
};

inline std::string head_of(std::string_view path) {
  return "HEAD " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n";
}

}  // namespace bulkhead::tests
