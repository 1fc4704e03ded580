// What the benchmarks ask for, answered as the handlers of `bulkhead serve` answer it.
#pragma once

#include <string_view>

#include "protocol/request_head.hpp"
#include "protocol/response.hpp"

namespace bulkhead::worker {

// /hello /small: a greeting; /: what it is; /big: 16 KiB; POST /echo: the content back. HEAD as
// GET; else 404, 405 or 501.
protocol::response answer(const protocol::request_head& head, std::string_view content);

}  // namespace bulkhead::worker
