#pragma once
// A source that fails on purpose, for tests.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/source.hpp"

namespace penstock::inline v0 {

/// One thing that goes wrong. It strikes reads that touch `offset` (any read if absent), from the `after`-th
/// such read on, `times` times.
struct Fault {
  enum class Kind : std::uint8_t {
    fail,     ///< the read ends with `error`
    delay,    ///< the read waits for `delay`, then continues
    shorten,  ///< the source seems to end at `length`: longer reads are `corrupt`
  };

  Kind kind = Kind::fail;
  std::optional<std::uint64_t> offset = std::nullopt;
  std::uint64_t after = 0;
  std::uint64_t times = UINT64_MAX;
  ErrorKind error = ErrorKind::io;
  std::chrono::milliseconds delay{0};
  std::uint64_t length = 0;
};

/// Wraps another source, owns it, and copies what it reads into the caller's scratch, as a remote source
/// would: code that forgets how long bytes live fails here. Any number of threads; the counts are atomic.
class FaultySource final : public Source {
 public:
  FaultySource(std::unique_ptr<Source> inner, std::vector<Fault> faults);

  const std::string& name() const noexcept override { return inner_->name(); }
  std::uint64_t size() const noexcept override { return inner_->size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const override;
  void advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept override;

  /// Reads so far, struck or not.
  std::uint64_t reads() const noexcept { return reads_.load(std::memory_order_relaxed); }

 private:
  bool strikes(std::size_t fault, std::uint64_t offset, std::uint64_t size) const noexcept;

  std::unique_ptr<Source> inner_;
  std::vector<Fault> faults_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> seen_;
  mutable std::atomic<std::uint64_t> reads_{0};
};

}  // namespace penstock::inline v0
