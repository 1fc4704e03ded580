#include "actors/heartbeat.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace bulkhead::actors {

struct heartbeat::answers {
  explicit answers(std::size_t reactors) : pending(reactors) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> pending;
};

// CAF counts its references as those of any job.
class heartbeat::beat final : public caf::ref_counted, public caf::resumable {
 public:
  beat(std::shared_ptr<answers> to, std::size_t index) : to_(std::move(to)), index_(index) {}

  subtype_t subtype() const override { return function_object; }
  resume_result resume(caf::execution_unit*, size_t) override {
    {
      const std::lock_guard guard(to_->mutex);
      to_->pending[index_] = false;
    }
    to_->changed.notify_all();
    return done;
  }
  void intrusive_ptr_add_ref_impl() override { ref(); }
  void intrusive_ptr_release_impl() override { deref(); }

 private:
  std::shared_ptr<answers> to_;
  std::size_t index_;
};

heartbeat::heartbeat(scheduler& reactors)
    : reactors_(reactors), answers_(std::make_shared<answers>(reactors.size())) {}

std::string heartbeat::ask(std::chrono::milliseconds patience) {
  std::unique_lock lock(answers_->mutex);
  auto& pending = answers_->pending;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (pending[i]) continue;
    reactors_.at(i).push(new beat(answers_, i));  // which adopts it
    pending[i] = true;
  }
  const auto first_silent = [&] { return std::find(pending.begin(), pending.end(), true); };
  if (answers_->changed.wait_for(lock, patience, [&] { return first_silent() == pending.end(); }))
    return {};
  return "reactor " + std::to_string(first_silent() - pending.begin()) + " does not answer";
}

}  // namespace bulkhead::actors
