// A guest in the server that waits until a test lets it go on.
#include <fcntl.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "sandbox/bulkhead_guest.hpp"

namespace {

using bulkhead::guest::request;
using bulkhead::guest::response;

// Makes the file that the field names, then waits for the one that the content names.
void wait_for_file(const request& from, response& to) {
  from.each_field([](std::string_view name, std::string_view value) {
    if (name == "x-begun") close(open(std::string(value).c_str(), O_CREAT | O_WRONLY, 0600));
  });
  const std::string gate(from.content());
  while (access(gate.c_str(), F_OK) != 0) {
    const timespec some{0, 1'000'000};
    nanosleep(&some, nullptr);
  }
  to.content("waited");
}

void handle(const request& from, response& to) {
  if (from.target() == "/wait") return wait_for_file(from, to);
  to.content("ok");
}

}  // namespace

BULKHEAD_HANDLER(handle)
