// The loop of the first stage over blocks of 64 octets, for any instruction set.
//
// Only for the sources of this folder, each of which is compiled for instructions of its own:
// nothing in here may become a function that the linker could share with the rest of the program.
// So everything is a template over a type that only its source knows, and nothing of the standard
// library is called.
//
// What Block has to have:
//   Block(const char* at)             looks at 64 octets
//   masks() -> block_masks            of them, controls left out
//   control() -> uint64_t             their controls
//   last(data, size, begin) -> block_masks
//                                     of the octets from begin on, fewer than 64; nothing outside
//                                     data is read; bits behind the last octet may be anything
//   controls, add(block), any()       whether any of several blocks had a control
//   put(bits, base, to) -> to         writes the positions of bits
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/scan/scanner.hpp"

namespace bulkhead::protocol::detail {

// One bit for each of 64 octets. A control, being a fault, may count as a token octet.
struct block_masks {
  std::uint64_t token;
  std::uint64_t cr;
  std::uint64_t lf;
  std::uint64_t control;
};

// Instead of masked loads: the octets before `begin` are looked at too, and dropped.
template <class Masks>
Masks without_first(const Masks& masks, std::size_t count) {
  return {masks.token >> count, masks.cr >> count, masks.lf >> count, masks.control >> count};
}

template <class Block>
class block_scan {
 public:
  block_scan(scan_state& state, std::uint16_t* positions)
      : state_(state),
        positions_(positions),
        to_(positions),
        unreported_(~0ull << (state.reported - state.block)),
        lf_before_(state.behind_lf),
        cr_before_(state.behind_cr),
        name_before_(state.in_name) {}

  scan_result run(const char* data, std::size_t size) {
    std::size_t at = state_.block;
    const std::size_t end = size - at > scan_bytes_max ? at + scan_bytes_max : size;
    for (; end - at >= 64; at += 64) {
      const Block block(data + at);
      look_at(block.masks());
      if (head_end_ != 0) [[unlikely]] {
        return finish(~0ull, block.control(), at, scan_end::of_head);
      }
      faults_ |= faults_here_;
      controls_.add(block);
      put(~0ull, at);
    }
    const std::uint64_t before[] = {lf_before_, cr_before_, name_before_};
    scan_result found{};
    if (at == end) {
      found = result(end == size ? scan_end::of_input : scan_end::of_call);
    } else {
      const block_masks last = Block::last(data, size, at);
      look_at(last);
      found = finish((1ull << (size - at)) - 1, last.control, at, scan_end::of_input);
    }
    if (found.end != scan_end::of_head) {
      state_ = {static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(end), before[0] != 0,
                before[1] != 0, before[2] != 0};
    }
    return found;
  }

 private:
  // The ends of all names of the block at once: adding a bit where a name begins to the mask of
  // token octets carries through the name and comes out behind it.
  void look_at(const block_masks& masks) {
    const std::uint64_t begins = masks.lf << 1 | lf_before_;
    const std::uint64_t carried = masks.token + (begins | name_before_);
    ends_ = (carried & ~masks.token) | masks.lf;
    head_end_ = begins & masks.cr;
    faults_here_ = masks.lf ^ (masks.cr << 1 | cr_before_);
    lf_before_ = masks.lf >> 63;
    cr_before_ = masks.cr >> 63;
    name_before_ = (masks.token & ~carried) >> 63;
  }

  void put(std::uint64_t wanted, std::size_t at) {
    to_ = Block::put(ends_ & wanted & unreported_, at, to_);
    unreported_ = ~0ull;
  }

  // The block with the end of the head or of the input, of which the `there` octets count.
  scan_result finish(std::uint64_t there, std::uint64_t control, std::size_t at, scan_end reached) {
    head_end_ &= there;
    if (head_end_ != 0) {
      there &= head_end_ ^ (head_end_ - 1);
      reached = scan_end::of_head;
    }
    faults_ |= (faults_here_ | control) & there;
    put(there, at);
    return result(reached);
  }

  scan_result result(scan_end reached) const {
    return {static_cast<std::uint32_t>(to_ - positions_),
            faults_ != 0 || controls_.any() ? scan_end::fault : reached};
  }

  scan_state& state_;
  std::uint16_t* const positions_;
  std::uint16_t* to_;
  std::uint64_t unreported_;
  std::uint64_t lf_before_;
  std::uint64_t cr_before_;
  std::uint64_t name_before_;
  std::uint64_t ends_ = 0;         // of names and of lines
  std::uint64_t head_end_ = 0;     // carriage returns at the beginning of a line
  std::uint64_t faults_here_ = 0;  // line ends that are not CRLF
  std::uint64_t faults_ = 0;
  typename Block::controls controls_;
};

template <class Block>
scan_result scan_blocks(const char* data, std::size_t size, scan_state& state,
                        std::uint16_t* positions) {
  return block_scan<Block>(state, positions).run(data, size);
}

}  // namespace bulkhead::protocol::detail
