// Counts what the program asks for, so that a test can show that the steady state asks for nothing. In a file
// of its own: inlined into its users it makes gcc see memory of `new` given to `free`.

#include "core/counting_new_for_test.hpp"

#include <cstdlib>
#include <new>

namespace penstock::inline v0 {

std::atomic<std::uint64_t> allocations{0};

namespace {

std::atomic<bool> none_elsewhere{false};
thread_local bool has_memory = false;

}  // namespace

NoMemoryElsewhere::NoMemoryElsewhere() {
  has_memory = true;
  none_elsewhere = true;
}
NoMemoryElsewhere::~NoMemoryElsewhere() {
  none_elsewhere = false;
  has_memory = false;
}

}  // namespace penstock::inline v0

// The form that does not throw has the same operator delete, so it must be replaced as well.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  penstock::allocations.fetch_add(1, std::memory_order_relaxed);
  if (penstock::none_elsewhere.load(std::memory_order_relaxed) && !penstock::has_memory) {
    return nullptr;
  }
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* memory = ::operator new(size, std::nothrow)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
