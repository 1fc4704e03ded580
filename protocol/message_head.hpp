// What the heads of requests and responses have in common: field lines, framing, connection
// options.
//
// RFC 9112 sections 5, 6 and 9. Made once and used for every message. Nothing is copied: everything
// is kept as offsets from the head's first octet, and every string_view handed out points into the
// caller's input. The views live until those octets are dropped or moved; after a move, rebase()
// makes new views good again. Nothing allocates after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

namespace bulkhead::protocol {

struct field {
  std::string_view name;   // as sent; names compare without case
  std::string_view value;  // without the whitespace around it; may be empty
};

class message_head {
 protected:
  struct slice {
    std::uint16_t begin = 0;
    std::uint16_t end = 0;
  };

  struct entry {
    slice name;
    slice value;
  };

 public:
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

  int minor_version() const { return minor_version_; }  // 0 or 1; 1.2 and later count as 1.1

  field_range fields() const { return {base_, entries_.get(), entries_.get() + field_count_}; }

  // The value of the first field line with this name, compared without case.
  std::optional<std::string_view> find(std::string_view name) const;

  // What the framing fields say, RFC 9112 section 6.
  std::optional<std::uint64_t> content_length() const;
  bool chunked() const { return chunked_; }

  // Connection handling, RFC 9112 section 9. upgrade() is the first Upgrade field of an HTTP/1.1
  // message whose Connection field names it, else empty.
  bool keep_alive() const;
  std::string_view upgrade() const;

 protected:
  friend class field_rules;
  friend class line_walk;

  explicit message_head(std::size_t fields_max);

  static std::string_view view(const char* base, slice part) {
    return {base + part.begin, static_cast<std::size_t>(part.end - part.begin)};
  }
  std::string_view at(slice part) const { return view(base_, part); }
  slice slice_of(std::string_view part) const;

  void clear();
  bool is_full() const { return field_count_ == fields_max_; }
  void add_field(slice name, slice value) { entries_[field_count_++] = {name, value}; }

  std::unique_ptr<entry[]> entries_;
  const char* base_ = nullptr;
  std::uint64_t content_length_ = 0;
  std::uint32_t size_bytes_ = 0;
  std::uint16_t fields_max_ = 0;
  std::uint16_t field_count_ = 0;
  slice upgrade_;
  std::uint8_t minor_version_ = 1;
  bool has_content_length_ = false;
  bool has_transfer_encoding_ = false;
  bool chunked_ = false;
  bool option_close_ = false;
  bool option_keep_alive_ = false;
  bool option_upgrade_ = false;
};

}  // namespace bulkhead::protocol
