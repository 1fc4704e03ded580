#include "protocol/prepared_response.hpp"

#include <cstring>
#include <stdexcept>
#include <string_view>

#include "protocol/date.hpp"
#include "protocol/response_writer.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view date_name = "Date: ";
constexpr std::size_t date_line_bytes = date_name.size() + date_bytes + 2;

}  // namespace

prepared_response::prepared_response(const response& answer)
    : status_(answer.status()), closes_(answer.closes()) {
  if (answer.source() || answer.file() || answer.status() == 101) {
    throw std::invalid_argument("prepared response: must not have a source, a file or status 101");
  }
  if (protocol::find_fault(answer, method::get)) {
    throw std::invalid_argument("prepared response: this status has no content");
  }
  const std::string any_date(date_bytes, '-');
  head_context context;
  context.date = any_date;
  write_head(answer, context, octets_);
  date_line_ = static_cast<std::uint16_t>(octets_.find('\n') + 1);
  head_bytes_ = octets_.size() - 2;
  octets_ += answer.content();
}

std::optional<write_error> prepared_response::find_fault(method request_method) const {
  return request_method == method::connect && status_ >= 200 && status_ < 300
             ? std::optional(write_error::connect_accepted)
             : std::nullopt;
}

void prepared_response::write(const head_context& context, std::string& out) const {
  const std::size_t begin = out.size();
  const std::string_view line = connection_line(status_, context);
  const std::string_view octets = octets_;
  const std::size_t end =
      content_follows(context.request_method, status_) ? octets.size() : head_bytes_ + 2;
  if (line.empty()) {
    out.append(octets.substr(0, end));
  } else {
    out.reserve(begin + octets.size() + line.size());
    out.append(octets.substr(0, head_bytes_)).append(line);
    out.append(octets.substr(head_bytes_, end - head_bytes_));
  }
  if (context.date.size() == date_bytes) {
    std::memcpy(out.data() + begin + date_line_ + date_name.size(), context.date.data(),
                date_bytes);
  } else {
    out.erase(begin + date_line_, date_line_bytes);
  }
}

}  // namespace bulkhead::protocol
