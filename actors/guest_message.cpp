#include "actors/guest_message.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/tokens.hpp"
#include "sandbox/blob.hpp"

namespace bulkhead::actors {

namespace {

constexpr std::string_view parameter_prefix = ":parameter.";

char lower(char c) {
  return protocol::lower(c);
}

bool is_content_length(std::string_view name) {
  constexpr std::string_view wanted = "content-length";
  return std::ranges::equal(name, wanted, {}, lower);
}

}  // namespace

bool write_guest_request(std::string& blob, const request& from) {
  sandbox::blob_writer to(blob);
  std::string name;
  to.field(":method", from.method()).field(":target", from.target());
  to.field(":peer", from.peer()).field(":scheme", from.scheme());
  for (const auto& each : from.parameters())
    to.field(name.assign(parameter_prefix).append(each.name), each.value);
  for (const auto& each : from.fields()) {
    name.resize(each.name.size());
    std::ranges::transform(each.name, name.begin(), lower);
    to.field(name, each.value);
  }
  return to.finish(from.content());
}

guest_answer read_guest_answer(const sandbox::outcome& how) {
  sandbox::blob_view blob;
  if (const auto wrong = sandbox::blob_view::read(how.blob, blob);
      wrong != sandbox::blob_error::none)
    return {protocol::response(502), sandbox::to_string(wrong)};
  try {
    auto answer = protocol::response(static_cast<int>(blob.code()));
    if (answer.status() == 101) throw std::invalid_argument("status 101");
    for (const auto& [name, value] : blob)
      if (!is_content_length(name)) answer.add(name, value);
    answer.set_content(std::string(blob.content()));
    return {std::move(answer), {}};
  } catch (const std::invalid_argument& wrong) {
    return {protocol::response(502), wrong.what()};
  }
}

}  // namespace bulkhead::actors
