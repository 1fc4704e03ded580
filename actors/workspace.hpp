// What a session needs while it has something to do, and not while it is idle.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/file_cursor.hpp"
#include "actors/input_buffer.hpp"
#include "actors/output_queue.hpp"
#include "actors/router.hpp"
#include "actors/service.hpp"
#include "protocol/request_head.hpp"
#include "protocol/response.hpp"

namespace bulkhead::actors {

class guest_call;

struct workspace {
  explicit workspace(std::size_t fields_max);
  ~workspace();

  input_buffer input;
  protocol::request_head head;
  path_parameters parameters;

  // The content of the current request: a view into the input while it is one
  // piece there, else the pieces joined in `joined_content`.
  std::string_view content;
  std::string joined_content;

  output_queue out;

  // What the handler gave or threw; at least one of the two after it has run.
  std::optional<protocol::response> answer;
  std::exception_ptr thrown;
  // Who takes the content while it arrives, if somebody does.
  upload receiver;

  // The file of the current answer, while it is sent.
  file_cursor file;

  // The current request's way through a sandbox, if it goes there; and whose handler that is.
  std::unique_ptr<guest_call> call;
  service::held_guests handlers;

  // The last piece of a streamed answer's content, or of a file that is read.
  std::string piece;
  bool source_has_more = false;

  // The memory behind all of this.
  std::size_t held_bytes() const;
  // As new, with the memory that an ordinary request needs.
  void clear();
};

// A reactor's spare workspaces, the last used first: it is still in the cache.
// An idle session holds none, so idle connections cost no buffers.
class workspace_pool {
 public:
  explicit workspace_pool(std::size_t fields_max) : fields_max_(fields_max) {}

  std::unique_ptr<workspace> take();
  void give_back(std::unique_ptr<workspace> used);

 private:
  static constexpr std::size_t spares_max = 32;

  std::size_t fields_max_;
  std::vector<std::unique_ptr<workspace>> spares_;
};

}  // namespace bulkhead::actors
