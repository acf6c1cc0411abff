#pragma once
// Memory for objects that are read once, used again and again.

#include <cstddef>
#include <mutex>
#include <vector>

#include "core/scratch.hpp"
#include "io/bytes.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Gives buffers out and takes them back from whoever lets go of their bytes last, in any thread. As many are
/// kept as were in use at once, up to kMaxIdle. It must outlive them.
class ReadBuffers {
 public:
  static constexpr std::size_t kMaxIdle = 64;
  /// Larger ones are given back to the system.
  static constexpr std::size_t kMaxKept = std::size_t{4} << 20;

  ReadBuffers() { idle_.reserve(kMaxIdle); }
  ~ReadBuffers();
  ReadBuffers(const ReadBuffers&) = delete;
  ReadBuffers& operator=(const ReadBuffers&) = delete;

  /// What fill(Scratch&), which returns a Result<ByteSpan>, has put into the buffer, held. Throws
  /// std::bad_alloc.
  template <class Fill>
  Result<Bytes> read(Fill&& fill) {
    Buffer& buffer = take();
    const Bytes holder = Bytes::held({}, buffer);
    PENSTOCK_ASSIGN(const ByteSpan filled, fill(buffer.memory));
    return Bytes::held(filled, buffer);
  }

  std::size_t idle() const;

 private:
  class Buffer final : public ByteOwner {
   public:
    explicit Buffer(ReadBuffers& home) noexcept : home_(home) {}
    ~Buffer() override = default;

    mutable Scratch memory;

   private:
    void retire() const noexcept override { home_.put_back(*this); }

    ReadBuffers& home_;
  };

  Buffer& take();
  void put_back(const Buffer& buffer) noexcept;

  mutable std::mutex mutex_;
  std::vector<Buffer*> idle_;
};

}  // namespace penstock::inline v0
