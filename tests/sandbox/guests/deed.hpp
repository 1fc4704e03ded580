// What the hostile guest's files share.
#pragma once

#include <string_view>

#include "sandbox/bulkhead_guest.hpp"

namespace hostile {

using bulkhead::guest::request;
using bulkhead::guest::response;

struct deed {
  std::string_view target;
  void (*run)(const request&, response&);
};

// Of the present request; lies in the memory that is shared with the server.
inline std::uint8_t* response_room = nullptr;

// False: it knows no such target.
bool escape(const request& from, response& to);

// What escape() does with a file's own deeds: the one of that target; or an answer that the caller
// then breaks.
template <class Deeds>
bool do_deed(const Deeds& deeds, const request& from, response& to) {
  for (const deed& one : deeds)
    if (from.target() == one.target) {
      one.run(from, to);
      return true;
    }
  if (from.target() != "/bad-magic" && from.target() != "/bad-field-length") return false;
  to.field("a", "b").content("ok");
  return true;
}

// The compiler can neither know the value nor leave out what depends on it.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}
inline void barrier() {
  asm volatile("" : : : "memory");
}

}  // namespace hostile
