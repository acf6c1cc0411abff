#pragma once
// A file descriptor with an owner.

#include <unistd.h>

#include <utility>

namespace penstock::inline v0 {

/// Closed at the end. Moves only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  bool ok() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }
  /// From here on the caller closes it.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace penstock::inline v0
