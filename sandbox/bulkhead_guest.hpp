// The C++ side of bulkhead_guest.h: the same contract with views and no more code than that.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string_view>

#include "sandbox/bulkhead_guest.h"

namespace bulkhead::guest {

inline std::string_view view(bulkhead_text text) {
  return {text.data, text.bytes};
}

// All views are valid until the handler returns.
class request {
 public:
  explicit request(const std::uint8_t* blob) : blob_(blob) {}

  std::string_view method() const { return field(":method"); }
  std::string_view target() const { return field(":target"); }
  std::string_view content() const { return view(bulkhead_content(blob_)); }

  // The first one of that name, in lower case; empty: none. `name` is terminated.
  std::string_view field(const char* name) const { return view(bulkhead_find(blob_, name)); }

  // Calls visit(name, value) for each, in their order; those of the server begin with a colon.
  template <class Visit>
  void each_field(const Visit& visit) const {
    std::uint32_t offset = 0;
    bulkhead_field field;
    while (bulkhead_next_field(blob_, &offset, &field)) visit(view(field.name), view(field.value));
  }

 private:
  const std::uint8_t* blob_;
};

// Built in place: status, then fields, then content. What does not fit makes the whole response
// BULKHEAD_TOO_LARGE; there is nothing to check in between.
class response {
 public:
  response(std::uint8_t* room, std::uint32_t bytes_max) : room_(room), bytes_max_(bytes_max) {
    status(200);
  }

  // Drops everything that was added before.
  response& status(std::uint32_t code) {
    bulkhead_begin(&state_, room_, bytes_max_, code);
    return *this;
  }
  response& field(std::string_view name, std::string_view value) {
    bulkhead_add_field(&state_, name.data(), size(name), value.data(), size(value));
    return *this;
  }
  response& content(std::string_view more) {
    bulkhead_add_content(&state_, more.data(), size(more));
    return *this;
  }
  std::int32_t finish() { return bulkhead_finish(&state_); }

 private:
  static std::uint32_t size(std::string_view text) {
    return text.size() > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(text.size());
  }

  std::uint8_t* room_;
  std::uint32_t bytes_max_;
  bulkhead_response state_;
};

inline void log(std::string_view line) {
  bulkhead_log(line.data(), static_cast<std::uint32_t>(line.size()));
}

}  // namespace bulkhead::guest

// Modules are built without exceptions, and then the library's operator new gives null where there
// is no memory, to code that cannot know: this one traps, and the outcome is out_of_memory. Once in
// an object, at file level.
#if defined(__wasm__) && !defined(__cpp_exceptions)
#define BULKHEAD_NEW_TRAPS                        \
  void* operator new(std::size_t bytes) {         \
    auto* found = std::malloc(bytes ? bytes : 1); \
    if (!found) __builtin_trap();                 \
    return found;                                 \
  }
#else
#define BULKHEAD_NEW_TRAPS
#endif

// BULKHEAD_HANDLER(f) makes `void f(const request&, response&)` the handler of this object. An
// exception that leaves it becomes the outcome of this request, and the sandbox goes on.
#define BULKHEAD_HANDLER(function)                                       \
  BULKHEAD_NEW_TRAPS                                                     \
  extern "C" std::int32_t bulkhead_handle(                               \
      const std::uint8_t* request_blob, std::uint32_t /*request_bytes*/, \
      std::uint8_t* response_room, std::uint32_t response_bytes_max) {   \
    const bulkhead::guest::request from(request_blob);                   \
    bulkhead::guest::response to(response_room, response_bytes_max);     \
    function(from, to);                                                  \
    return to.finish();                                                  \
  }
