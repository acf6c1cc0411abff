#pragma once
// Where bytes come from.

#include <cstdint>
#include <string>

#include "core/scratch.hpp"
#include "io/bytes.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// How a range is about to be read: a hint, never needed for correctness.
enum class Access : std::uint8_t { normal, sequential, will_need };

/// A readable run of bytes of fixed size: a mapped file, memory, (later) an object in a store.
/// All members may be called from any number of threads at once; no lock is taken while reading.
class Source {
 public:
  virtual ~Source() = default;

  /// As users know it: a path or a URL.
  virtual const std::string& name() const noexcept = 0;
  virtual std::uint64_t size() const noexcept = 0;
  /// Exactly `size` bytes at `offset`; a range past the end is `corrupt` (the file is shorter than its index
  /// says). The bytes live as long as the source, or until the next use of `scratch`, whichever is first:
  /// sources that can, return a view and leave `scratch` alone.
  virtual Result<Bytes> read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const = 0;
  /// Bytes::intact() of all that was ever read.
  virtual Status check() const { return {}; }
  virtual void advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept = 0;
};

}  // namespace penstock::inline v0
