// The shape of transition tables: one row an event, one column a state.
#pragma once

#include <array>
#include <cstddef>

namespace bulkhead::protocol {

template <class State>
struct step {
  bool allowed = false;
  State to{};

  constexpr step() = default;
  constexpr step(State next) : allowed(true), to(next) {}
};

template <class State, std::size_t States, std::size_t Events>
using state_table = std::array<std::array<step<State>, States>, Events>;

template <class Table, class State, class Event>
constexpr auto step_of(const Table& steps, State from, Event event) {
  return steps[static_cast<std::size_t>(event)][static_cast<std::size_t>(from)];
}

// Two halves that go on together or not at all.
template <class State1, class State2>
constexpr bool advance(State1& first, step<State1> first_step, State2& second,
                       step<State2> second_step) {
  if (!first_step.allowed || !second_step.allowed) {
    return false;
  }
  first = first_step.to;
  second = second_step.to;
  return true;
}

}  // namespace bulkhead::protocol
