// One parsed request head, in storage that is made once and used for every request.
//
// RFC 9112 sections 3 and 5. Nothing is copied: everything is kept as offsets from the head's first
// octet, and every string_view handed out points into the caller's input. The views live until
// those octets are dropped or moved; after a move, rebase() makes new views good again. Nothing
// allocates after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include "protocol/method.hpp"
#include "protocol/target.hpp"

namespace bulkhead::protocol {

struct field {
  std::string_view name;   // as sent; names compare without case
  std::string_view value;  // without the whitespace around it; may be empty
};

class request_head {
  struct slice {
    std::uint16_t begin = 0;
    std::uint16_t end = 0;
  };

  struct entry {
    slice name;
    slice value;
  };

 public:
  // Room for `fields_max` field lines.
  explicit request_head(std::size_t fields_max);

  // Iterates over the field lines in the order in which they were sent.
  class field_range {
   public:
    class iterator {
     public:
      using value_type = field;
      using difference_type = std::ptrdiff_t;
      using iterator_concept = std::input_iterator_tag;

      iterator() = default;
      iterator(const char* base, const entry* at) : base_(base), at_(at) {}
      field operator*() const { return {view(base_, at_->name), view(base_, at_->value)}; }
      iterator& operator++() { return ++at_, *this; }
      iterator operator++(int) { return {base_, at_++}; }
      bool operator==(const iterator& other) const { return at_ == other.at_; }

     private:
      const char* base_ = nullptr;
      const entry* at_ = nullptr;
    };

    field_range(const char* base, const entry* begin, const entry* end)
        : base_(base), begin_(begin), end_(end) {}
    iterator begin() const { return {base_, begin_}; }
    iterator end() const { return {base_, end_}; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }

   private:
    const char* base_;
    const entry* begin_;
    const entry* end_;
  };

  // The caller has moved the head's octets: `base` is where the first of them is now.
  void rebase(const char* base) { base_ = base; }

  // Octets of the head, from the first that next() saw to its last line feed.
  std::size_t size_bytes() const { return size_bytes_; }

  // Request line. The method is a token, compared with its case; the target is as sent.
  std::string_view method() const { return at(method_); }
  protocol::method known_method() const { return known_method_; }
  std::string_view target() const { return at(target_); }
  target_form form() const { return form_; }
  int minor_version() const { return minor_version_; }  // 0 or 1; 1.2 and later count as 1.1

  // The path, still percent-encoded: "/" when absolute-form has none, empty for authority-form and
  // asterisk-form. The query comes without its question mark and may be empty although there is
  // one.
  std::string_view path() const { return has_slash_path_ ? std::string_view{"/"} : at(path_); }
  bool has_query() const { return has_query_; }
  std::string_view query() const { return at(query_); }

  // Host and port of the target URI: those of an absolute-form or authority-form target, else the
  // Host field (RFC 9112 section 3.3). Empty only for HTTP/1.0 without either.
  std::string_view authority() const { return at(authority_); }

  field_range fields() const { return {base_, entries_.get(), entries_.get() + field_count_}; }

  // The value of the first field line with this name, compared without case.
  std::optional<std::string_view> find(std::string_view name) const;

  // Content, RFC 9112 section 6.3. A request has one of the two framings or no content at all.
  std::optional<std::uint64_t> content_length() const;
  bool chunked() const { return chunked_; }
  bool has_content() const { return chunked_ || content_length_ > 0; }

  // Connection handling, RFC 9112 section 9. upgrade() is the first Upgrade field of an HTTP/1.1
  // request whose Connection field names it, else empty.
  bool keep_alive() const;
  bool expects_continue() const { return expects_continue_ && has_content(); }
  std::string_view upgrade() const;

 private:
  friend class request_parser;
  friend class field_rules;

  static std::string_view view(const char* base, slice part) {
    return {base + part.begin, static_cast<std::size_t>(part.end - part.begin)};
  }
  std::string_view at(slice part) const { return view(base_, part); }
  slice slice_of(std::string_view part) const;

  void clear();
  bool is_full() const { return field_count_ == fields_max_; }
  void add_field(slice name, slice value) { entries_[field_count_++] = {name, value}; }
  void set_target(const target_parts& parts);

  std::unique_ptr<entry[]> entries_;
  const char* base_ = nullptr;
  std::uint64_t content_length_ = 0;
  std::uint32_t size_bytes_ = 0;
  std::uint16_t fields_max_ = 0;
  std::uint16_t field_count_ = 0;
  slice method_;
  slice target_;
  slice path_;
  slice query_;
  slice authority_;
  slice upgrade_;
  protocol::method known_method_ = protocol::method::unknown;
  target_form form_ = target_form::origin;
  std::uint8_t minor_version_ = 1;
  bool has_slash_path_ : 1 = false;
  bool has_query_ : 1 = false;
  bool has_host_ : 1 = false;
  bool has_content_length_ : 1 = false;
  bool has_transfer_encoding_ : 1 = false;
  bool chunked_ : 1 = false;
  bool expects_continue_ : 1 = false;
  bool option_close_ : 1 = false;
  bool option_keep_alive_ : 1 = false;
  bool option_upgrade_ : 1 = false;
};

}  // namespace bulkhead::protocol
