// How many CPUs the server takes for its own.
#include "actors/cpus.hpp"

#include <sched.h>

#include <catch2/catch.hpp>
#include <thread>

using namespace bulkhead::actors;

TEST_CASE("usable_cpus counts what the affinity mask leaves", "[actors][cpus][B161]") {
  unsigned counted = 0;
  std::thread confined([&] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &mask);
    if (::sched_setaffinity(0, sizeof mask, &mask) == 0) counted = usable_cpus();
  });
  confined.join();
  CHECK(counted == 1);
}
