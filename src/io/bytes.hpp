#pragma once
// Bytes with an owner, that can tell whether they were really there.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// What bytes lie in: a mapped file, a buffer that is used again, memory of their own. It counts who holds
/// it; the last to let go retires it. Any thread.
class ByteOwner {
 public:
  ByteOwner(const ByteOwner&) = delete;
  ByteOwner& operator=(const ByteOwner&) = delete;

  /// Bytes::intact() of a part of what it owns.
  virtual Status check(ByteSpan /*part*/) const { return {}; }

 protected:
  ByteOwner() = default;
  virtual ~ByteOwner() = default;
  /// Nobody holds it any more.
  virtual void retire() const noexcept { delete this; }

 private:
  friend class Bytes;
  mutable std::atomic<std::size_t> holders_{0};
};

/// A run of bytes. Held, it keeps its owner alive, moves freely between threads and is released by whoever is
/// last. Lent, it costs no counting and lives as long as who lent it (a source, or the caller's own memory):
/// hold() makes it a held one. Any thread may use it; one thread changes it.
///
/// A file can be cut, or its disk can fail, while it is mapped: what is gone then reads as zeros. So whoever
/// has made something of bytes asks intact() before anybody sees the outcome.
class Bytes {
 public:
  Bytes() = default;
  /// Lent by the caller.
  Bytes(ByteSpan memory) noexcept : span_(memory) {}
  Bytes(const std::vector<std::uint8_t>& memory) noexcept : span_(memory) {}
  Bytes(const std::uint8_t* data, std::size_t size) noexcept : span_(data, size) {}

  static Bytes held(ByteSpan span, const ByteOwner& owner) noexcept {
    owner.holders_.fetch_add(1, std::memory_order_relaxed);
    return {span, &owner, true};
  }
  /// Memory of their own.
  static Bytes own(std::vector<std::uint8_t> memory);

  Bytes(const Bytes& other) noexcept : Bytes(other.span_, other.owner_, other.held_) {
    if (held_) {
      owner_->holders_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Bytes(Bytes&& other) noexcept
      : span_(other.span_), owner_(other.owner_), held_(std::exchange(other.held_, false)) {}
  Bytes& operator=(Bytes other) noexcept {
    std::swap(span_, other.span_);
    std::swap(owner_, other.owner_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~Bytes() {
    if (held_) {
      release();
    }
  }

  const std::uint8_t* data() const noexcept { return span_.data(); }
  std::size_t size() const noexcept { return span_.size(); }
  bool empty() const noexcept { return span_.empty(); }
  auto begin() const noexcept { return span_.begin(); }
  auto end() const noexcept { return span_.end(); }
  std::uint8_t operator[](std::size_t i) const noexcept { return span_[i]; }

  /// A part that exists, held if this is.
  Bytes part(std::uint64_t offset, std::uint64_t size) const noexcept {
    const Bytes part = lend(offset, size);
    return held_ ? held(part.span_, *owner_) : part;
  }
  /// A part that exists, lent: it lives as long as this, or as what this was lent from.
  Bytes lend(std::uint64_t offset, std::uint64_t size) const noexcept {
    return {span_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)), owner_, false};
  }
  /// The same bytes, held. The caller's own memory is copied.
  Bytes hold() const;
  bool is_held() const noexcept { return held_; }

  /// To be asked after use: `io`, naming the file, if any of the bytes was not there. Touches the last one.
  Status intact() const { return owner_ != nullptr ? owner_->check(span_) : Status(); }

 private:
  Bytes(ByteSpan span, const ByteOwner* owner, bool held) noexcept
      : span_(span), owner_(owner), held_(held) {}
  void release() const noexcept;

  ByteSpan span_;
  const ByteOwner* owner_ = nullptr;
  bool held_ = false;
};

}  // namespace penstock::inline v0
