#include "tls/buffer_bio.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace bulkhead::tls {
namespace {

wire& wire_of(BIO* bio) {
  return *static_cast<wire*>(BIO_get_data(bio));
}

int read(BIO* bio, char* to, std::size_t room, std::size_t* got) {
  auto& through = wire_of(bio);
  BIO_clear_retry_flags(bio);
  *got = std::min(room, through.in.size());
  if (*got == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(to, through.in.data(), *got);
  through.in.remove_prefix(*got);
  return 1;
}

int write(BIO* bio, const char* from, std::size_t bytes, std::size_t* put) {
  auto& through = wire_of(bio);
  BIO_clear_retry_flags(bio);
  *put = 0;
  if (!through.out) return 0;
  try {
    through.out->append(from, bytes);
  } catch (const std::exception&) {
    through.overran_memory = true;  // an exception may not cross OpenSSL
    return 0;
  }
  *put = bytes;
  return 1;
}

long control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Constant once it is made, and never freed.
BIO_METHOD* make_method() {
  auto* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session's buffers");
  if (!method) return nullptr;
  BIO_meth_set_read_ex(method, read);
  BIO_meth_set_write_ex(method, write);
  BIO_meth_set_ctrl(method, control);
  return method;
}

}  // namespace

bio_ptr make_buffer_bio(wire& through) {
  static const BIO_METHOD* const method = make_method();
  bio_ptr bio(method ? BIO_new(method) : nullptr);
  if (!bio) return nullptr;
  BIO_set_data(bio.get(), &through);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace bulkhead::tls
