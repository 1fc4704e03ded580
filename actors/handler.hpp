// What users write: handlers, uploads, and the hook for what they throw.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "actors/request.hpp"
#include "protocol/response.hpp"

namespace bulkhead {

using response = protocol::response;
using file_content = protocol::file_content;

// Called once a request with its whole content, in the connection's own session,
// on any thread and for several connections at once: what it captures must bear
// that. Whatever it throws becomes a 500, ends this connection and no other. It
// may block or spin without hurting other connections (config::spare_threads_max).
using handler = std::function<response(const request&)>;

// Takes a request's content while it arrives. A piece is a view for the call; the
// next one is not read before the call returns, so a slow upload handler slows
// its client down and nothing piles up. on_end gives the answer.
struct upload {
  std::function<void(std::string_view piece)> on_content;
  std::function<response()> on_end;
};

// Called with the head, whose views live for this call, before any content.
using upload_handler = std::function<upload(const request&)>;

// Turns what a handler threw into the response to send; rethrow to inspect it.
// When the hook itself throws, the plain 500 is sent.
using exception_hook = std::function<response(const request&, std::exception_ptr)>;

namespace actors {
class guest;
}

// What a route leads to: one of the three, and the pattern that it was given.
struct route_target {
  handler handle;
  upload_handler receive;
  std::string pattern{};
  std::shared_ptr<actors::guest> guest{};  // in a sandbox
};

}  // namespace bulkhead
