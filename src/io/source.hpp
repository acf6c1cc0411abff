#pragma once
// One object that can be read: a file, memory, (later) an object on a server.

#include <cstdint>
#include <memory>
#include <string>

#include "io/bytes.hpp"
#include "io/file.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// How a range is about to be read: a hint, never needed for correctness.
enum class Access : std::uint8_t { normal, sequential, will_need };

/// A readable run of bytes of fixed size. All members may be called from any number of threads at once; no
/// lock is taken while a mapped file is read.
class Source {
 public:
  virtual ~Source() = default;

  /// As users know it: a path or a URL.
  virtual const std::string& name() const noexcept = 0;
  virtual std::uint64_t size() const noexcept = 0;
  /// Of the moment of opening.
  virtual const FileIdentity& identity() const noexcept = 0;
  /// Exactly `size` bytes at `offset`; a range past the end is `corrupt` (the file is shorter than its index
  /// says). The bytes live as long as the source: Bytes::hold() lets them outlive it. A mapped file lends
  /// them without a copy.
  virtual Result<Bytes> read(std::uint64_t offset, std::uint64_t size) const = 0;
  Result<Bytes> read_all() const { return read(0, size()); }
  /// Bytes::intact() of all that was ever read.
  virtual Status check() const { return {}; }
  virtual void advise(Access /*access*/, std::uint64_t /*offset*/, std::uint64_t /*size*/) const noexcept {}
};

using SourcePtr = std::shared_ptr<const Source>;

}  // namespace penstock::inline v0
