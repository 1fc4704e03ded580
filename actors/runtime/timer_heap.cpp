#include "actors/runtime/timer_heap.hpp"

namespace bulkhead::actors {

void timer_heap::arm(timer& t, time_point due) {
  if (!t.armed()) {
    heap_.push_back(&t);
    t.slot_ = heap_.size() - 1;
    t.due_ = due;
    sift_up(t.slot_);
    return;
  }
  const bool later = due > t.due_;
  t.due_ = due;
  later ? sift_down(t.slot_) : sift_up(t.slot_);
}

void timer_heap::cancel(timer& t) {
  if (!t.armed()) return;
  const auto slot = t.slot_;
  auto* last = heap_.back();
  heap_.pop_back();
  t.slot_ = timer::unarmed;
  if (last == &t) return;
  place(slot, last);
  sift_up(slot);
  sift_down(last->slot_);
}

timer* timer_heap::pop_due(time_point now) {
  if (heap_.empty() || heap_.front()->due_ > now) return nullptr;
  auto* first = heap_.front();
  cancel(*first);
  return first;
}

time_point timer_heap::next_due() const {
  return heap_.empty() ? time_point::max() : heap_.front()->due_;
}

void timer_heap::place(std::size_t slot, timer* t) {
  heap_[slot] = t;
  t->slot_ = slot;
}

void timer_heap::sift_up(std::size_t slot) {
  auto* t = heap_[slot];
  while (slot > 0) {
    const auto parent = (slot - 1) / 2;
    if (heap_[parent]->due_ <= t->due_) break;
    place(slot, heap_[parent]);
    slot = parent;
  }
  place(slot, t);
}

void timer_heap::sift_down(std::size_t slot) {
  auto* t = heap_[slot];
  for (;;) {
    auto child = 2 * slot + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->due_ < heap_[child]->due_) ++child;
    if (t->due_ <= heap_[child]->due_) break;
    place(slot, heap_[child]);
    slot = child;
  }
  place(slot, t);
}

}  // namespace bulkhead::actors
