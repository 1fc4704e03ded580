// Whether every reactor still runs what it is given: the check behind /healthz.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "actors/runtime/scheduler.hpp"

namespace bulkhead::actors {

// Must not be asked once the scheduler has stopped.
class heartbeat {
 public:
  explicit heartbeat(scheduler& reactors);

  // Gives each reactor a job and waits until all have run theirs. Returns what is
  // wrong, "reactor 1 does not answer", or nothing. A reactor that is silent gets no
  // second job. Any thread but a reactor's of that scheduler.
  std::string ask(std::chrono::milliseconds patience);

 private:
  class beat;
  struct answers;

  scheduler& reactors_;
  std::shared_ptr<answers> answers_;  // with the jobs, which may outlive this
};

}  // namespace bulkhead::actors
