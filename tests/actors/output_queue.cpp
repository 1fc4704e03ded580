#include "actors/output_queue.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <string>

using bulkhead::actors::output_queue;

TEST_CASE("output_queue gives its parts in order from wherever the last write ended",
          "[actors][output]") {
  for (std::size_t step = 1; step <= 9; ++step) {
    output_queue out;
    out.bytes() = "head";
    out.set_content("content");
    std::string sent;
    while (!out.empty()) {
      std::string now;
      for (const auto& part : out.unsent())
        now.append(static_cast<const char*>(part.iov_base), part.iov_len);
      now.resize(std::min(step, now.size()));
      sent += now;
      out.advance(now.size());
    }
    CHECK(sent == "headcontent");
  }
}

TEST_CASE("output_queue returns the memory of large answers and keeps that of ordinary ones",
          "[actors][output][B085]") {
  output_queue out;
  out.bytes().assign(1000, 'h');
  out.set_content(std::string(5'000'000, 'c'));
  CHECK(out.capacity() >= 5'001'000);
  out.advance(5'001'000);
  CHECK(out.empty());
  CHECK(out.capacity() < 10'000);
  CHECK(out.capacity() >= 1000);
  out.bytes().assign(200'000, 'h');
  out.clear();
  CHECK(out.capacity() < 10'000);
  CHECK(out.queued_total() == 5'201'000);
}
