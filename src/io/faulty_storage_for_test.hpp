#pragma once
// A storage that is slow, short, failing or changing under the reader on purpose, for tests.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/range.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {

/// One thing that goes wrong. It strikes reads of objects whose name ends in `object`, that touch `offset`
/// (any read if absent), from the `after`-th such read on, `times` times.
struct Fault {
  enum class Kind : std::uint8_t {
    fail,      ///< the read ends with `error`
    delay,     ///< the read waits for `delay`, then continues
    shorten,   ///< the object seems to end at `length`: longer reads are `corrupt`
    alter,     ///< the last byte reads as another one
    vanish,    ///< the bytes read as zeros, and are not intact: a mapped file that was cut
    replaced,  ///< the object is another one from here on: reading is `io`, its identity changes
  };

  Kind kind = Kind::fail;
  std::string object{};
  std::optional<std::uint64_t> offset = std::nullopt;
  std::uint64_t after = 0;
  std::uint64_t times = UINT64_MAX;
  ErrorKind error = ErrorKind::io;
  std::chrono::milliseconds delay{0};
  std::uint64_t length = 0;
};

/// Wraps another storage. Every read gives memory of its own, as a server's would: code that forgets how long
/// bytes live fails here. Any number of threads; the counts are atomic.
class FaultyStorage final : public Storage {
 public:
  FaultyStorage(StoragePtr inner, std::vector<Fault> faults)
      : inner_(std::move(inner)), faults_(std::make_shared<Faults>(std::move(faults))) {}

  Result<std::vector<ListedObject>> list(const std::string& folder) const override {
    return inner_->list(folder);
  }
  Result<ObjectState> stat(const char* path) const override {
    PENSTOCK_ASSIGN(ObjectState state, inner_->stat(path));
    faults_->rename(path, state.identity);
    return state;
  }
  Result<SourcePtr> open(const std::string& path, Access access) const override {
    PENSTOCK_ASSIGN(SourcePtr inner, inner_->open(path, access));
    return SourcePtr(std::make_shared<FaultySource>(std::move(inner), faults_));
  }
  Result<Bytes> read(const char* path) const override {
    PENSTOCK_ASSIGN(const Bytes bytes, inner_->read(path));
    return faults_->pass(path, 0, bytes);
  }
  Result<Bytes> read_start(const char* path, std::uint64_t size) const override {
    PENSTOCK_ASSIGN(const Bytes bytes, inner_->read_start(path, size));
    return faults_->pass(path, 0, bytes);
  }
  std::optional<Bytes> read_without_waiting(const std::string&) const override { return {}; }
  void announce(const std::string&) const noexcept override {}
  std::string absolute(const std::string& path) const override { return inner_->absolute(path); }

  /// Reads so far, struck or not.
  std::uint64_t reads() const noexcept { return faults_->reads; }
  /// Bytes that were read so far.
  std::uint64_t bytes_read() const noexcept { return faults_->bytes; }

 private:
  class Vanished final : public ByteOwner {
   public:
    Vanished(std::string name, std::size_t size) : name_(std::move(name)), zeros_(size) {}
    ByteSpan span() const noexcept { return zeros_; }
    Status check(ByteSpan) const override { return vanished(name_); }

   private:
    std::string name_;
    std::vector<std::uint8_t> zeros_;
  };

  static Error vanished(const std::string& name) {
    return {.kind = ErrorKind::io,
            .message = "the file has become shorter on purpose",
            .place = {.shard = name, .stage = "read"}};
  }

  struct Faults {
    explicit Faults(std::vector<Fault> given) {
      for (Fault& fault : given) {
        all.emplace_back(std::move(fault));
      }
    }

    struct Counted {
      explicit Counted(Fault given) : fault(std::move(given)) {}
      Fault fault;
      std::atomic<std::uint64_t> seen{0};
      std::atomic<bool> struck{false};
    };

    /// What a read of `bytes` gives.
    Result<Bytes> pass(const std::string& name, std::uint64_t offset, const Bytes& read) {
      reads.fetch_add(1, std::memory_order_relaxed);
      bytes.fetch_add(read.size(), std::memory_order_relaxed);
      const std::uint64_t size = read.size();
      const auto failure = [&](ErrorKind kind, std::string message) {
        return Error{.kind = kind,
                     .message = std::move(message),
                     .place = {.shard = name, .offset = offset, .stage = "read"}};
      };
      for (Counted& counted : all) {
        const Fault& fault = counted.fault;
        if (!strikes(counted, name, offset, size)) {
          continue;
        }
        counted.struck = true;
        switch (fault.kind) {
          case Fault::Kind::fail:
            return failure(fault.error, fmt::format("reading {} bytes failed on purpose", size));
          case Fault::Kind::delay:
            std::this_thread::sleep_for(fault.delay);
            break;
          case Fault::Kind::shorten:
            if (!is_within(offset, size, fault.length)) {
              return failure(
                  ErrorKind::corrupt,
                  fmt::format("{} bytes wanted, but the file was cut at {} on purpose", size, fault.length));
            }
            break;
          case Fault::Kind::alter: {
            std::vector<std::uint8_t> altered(read.begin(), read.end());
            altered.back() ^= 1U;
            return Bytes::own(std::move(altered));
          }
          case Fault::Kind::vanish: {
            const auto* const owner = new Vanished(name, read.size());
            return Bytes::held(owner->span(), *owner);
          }
          case Fault::Kind::replaced:
            return failure(ErrorKind::io, "the object was replaced on purpose while it was in use");
        }
      }
      return Bytes::own({read.begin(), read.end()});
    }

    static bool strikes(Counted& counted, const std::string& name, std::uint64_t offset,
                        std::uint64_t size) noexcept {
      const Fault& f = counted.fault;
      if (!name.ends_with(f.object) || (f.offset && (*f.offset < offset || *f.offset - offset >= size))) {
        return false;
      }
      const std::uint64_t number = counted.seen.fetch_add(1, std::memory_order_relaxed);
      return number >= f.after && number - f.after < f.times;
    }

    void rename(const std::string& name, FileIdentity& identity) const {
      for (const Counted& counted : all) {
        if (counted.fault.kind == Fault::Kind::replaced && counted.struck &&
            name.ends_with(counted.fault.object)) {
          identity.tag += "replaced";
        }
      }
    }

    bool vanished(const std::string& name) const noexcept {
      for (const Counted& counted : all) {
        if (counted.fault.kind == Fault::Kind::vanish && counted.struck &&
            name.ends_with(counted.fault.object)) {
          return true;
        }
      }
      return false;
    }

    std::deque<Counted> all;
    std::atomic<std::uint64_t> reads{0};
    std::atomic<std::uint64_t> bytes{0};
  };

  class FaultySource final : public Source {
   public:
    FaultySource(SourcePtr inner, std::shared_ptr<Faults> faults)
        : inner_(std::move(inner)), faults_(std::move(faults)) {}

    const std::string& name() const noexcept override { return inner_->name(); }
    std::uint64_t size() const noexcept override { return inner_->size(); }
    const FileIdentity& identity() const noexcept override { return inner_->identity(); }
    Result<Bytes> read(std::uint64_t offset, std::uint64_t size) const override {
      PENSTOCK_ASSIGN(const Bytes bytes, inner_->read(offset, size));
      return faults_->pass(name(), offset, bytes);
    }
    Status check() const override { return faults_->vanished(name()) ? vanished(name()) : inner_->check(); }

   private:
    SourcePtr inner_;
    std::shared_ptr<Faults> faults_;
  };

  StoragePtr inner_;
  std::shared_ptr<Faults> faults_;
};

}  // namespace penstock::inline v0
