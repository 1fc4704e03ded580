// The server's end of the zygote.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "sandbox/descriptor.hpp"
#include "sandbox/process/settings.hpp"
#include "sandbox/process/wire.hpp"

namespace bulkhead::sandbox {

// One child process and a socket to it. Nothing waits except where it says so.
class zygote {
 public:
  zygote() = default;
  zygote(const zygote&) = delete;
  zygote& operator=(const zygote&) = delete;
  // Ends it and waits for its end.
  ~zygote() { stop(); }

  // Empty: it runs and will say hello on fd(). Else why not.
  std::string start(const process_settings& settings);
  bool runs() const { return control_.get() >= 0; }
  // Reaps it. What was ordered and not reported is lost, its workers die with the last reference
  // that nobody holds: call finish() first.
  void stop();
  // Takes no more orders; remaining reports can still be received until its end.
  void finish();

  int fd() const { return control_.get(); }

  // False: there is no zygote or its queue is full; try again later.
  bool send(const wire::order& what, int doorbell, int memory, int object);

  struct received {
    wire::report what;
    descriptor pidfd;
  };
  enum class receipt : std::uint8_t { one, nothing_now, ended };
  // `wait`: at most so long.
  receipt receive(received& one, std::chrono::milliseconds wait = {});

 private:
  descriptor control_;
  pid_t pid_ = -1;
};

}  // namespace bulkhead::sandbox
