#include "io/faulty_source.hpp"

#include <fmt/format.h>

#include <cstring>
#include <thread>
#include <utility>

#include "io/range.hpp"

namespace penstock::inline v0 {

FaultySource::FaultySource(std::unique_ptr<Source> inner, std::vector<Fault> faults)
    : inner_(std::move(inner)),
      faults_(std::move(faults)),
      seen_(std::make_unique<std::atomic<std::uint64_t>[]>(faults_.size())) {}

bool FaultySource::strikes(std::size_t fault, std::uint64_t offset, std::uint64_t size) const noexcept {
  const Fault& f = faults_[fault];
  if (f.offset && (*f.offset < offset || *f.offset - offset >= size)) {
    return false;
  }
  const std::uint64_t number = seen_[fault].fetch_add(1, std::memory_order_relaxed);
  return number >= f.after && number - f.after < f.times;
}

Result<Bytes> FaultySource::read(std::uint64_t offset, std::uint64_t size, Scratch& scratch) const {
  reads_.fetch_add(1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (!strikes(i, offset, size)) {
      continue;
    }
    const Fault& fault = faults_[i];
    const Place place{
        .source = {}, .shard = name(), .offset = offset, .key = {}, .index = {}, .stage = "read"};
    switch (fault.kind) {
      case Fault::Kind::fail:
        return Error{.kind = fault.error,
                     .message = fmt::format("reading {} bytes failed on purpose", size),
                     .advice = {},
                     .place = place};
      case Fault::Kind::delay:
        std::this_thread::sleep_for(fault.delay);
        break;
      case Fault::Kind::shorten:
        if (!is_within(offset, size, fault.length)) {
          return Error{.kind = ErrorKind::corrupt,
                       .message = fmt::format("{} bytes wanted, but the file was cut at {} on purpose", size,
                                              fault.length),
                       .advice = {},
                       .place = place};
        }
        break;
    }
  }
  PENSTOCK_ASSIGN(const Bytes bytes, inner_->read(offset, size, scratch));
  std::uint8_t* const copy = scratch.reserve(bytes.size());
  if (!bytes.empty() && bytes.data() != copy) {
    std::memcpy(copy, bytes.data(), bytes.size());
  }
  return Bytes(ByteSpan(copy, bytes.size()));
}

void FaultySource::advise(Access access, std::uint64_t offset, std::uint64_t size) const noexcept {
  inner_->advise(access, offset, size);
}

}  // namespace penstock::inline v0
