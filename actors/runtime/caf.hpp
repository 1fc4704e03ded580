#pragma once

// All of CAF that Bulkhead uses. CMake precompiles this header: it costs about
// two seconds a source file otherwise.
#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>
