#include "actors/shard.hpp"

namespace bulkhead::actors {

std::string_view shard::date() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != date_second_) {
    date_second_ = now.tv_sec;
    date_ = protocol::format_date(now.tv_sec);
  }
  return {date_.data(), date_.size()};
}

}  // namespace bulkhead::actors
