#pragma once
// Samples held in memory, for tests: a label, a text, and images if given; some fail or take their time on
// purpose.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

/// Sample i: label i, text "text of i" (of i modulo 4096, so that there may be a billion), image images[i %
/// images.size()] if there are any.
class MemoryTable : public SampleTable {
 public:
  MemoryTable(std::uint64_t size, std::vector<std::vector<std::uint8_t>> images = {})
      : size_(size), images_(std::move(images)) {
    for (std::uint64_t i = 0; i < std::min(size, kTexts); ++i) {
      texts_.push_back("text of " + std::to_string(i));
    }
    if (!images_.empty()) {
      fields_.push_back({"image", FieldKind::image});
    }
    fields_.push_back({"label", FieldKind::integer});
    fields_.push_back({"text", FieldKind::text});
  }

  std::set<std::uint64_t> bad;   ///< samples whose read is corrupt
  std::set<std::uint64_t> slow;  ///< samples whose read takes `delay`
  std::chrono::milliseconds delay{20};
  mutable std::atomic<std::uint64_t> reads{0};

  std::uint64_t size() const noexcept override { return size_; }
  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  const std::vector<std::string>& classes() const noexcept override { return none_; }
  std::string key(std::uint64_t sample) const override { return "key" + std::to_string(sample); }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    reads.fetch_add(1, std::memory_order_relaxed);
    if (bad.contains(sample)) {
      return Error{.kind = ErrorKind::corrupt, .message = "bad on purpose", .place = {.stage = "read"}};
    }
    if (slow.contains(sample) && fields_[field].kind == FieldKind::text) {
      std::this_thread::sleep_for(delay);
    }
    switch (fields_[field].kind) {
      case FieldKind::integer:
        return StoredValue{.bytes = {}, .number = static_cast<std::int64_t>(sample)};
      case FieldKind::image:
        return StoredValue{.bytes = images_[sample % images_.size()]};
      default:
        return StoredValue{
            .bytes = {reinterpret_cast<const std::uint8_t*>(text_of(sample).data()), text_of(sample).size()}};
    }
  }
  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    return fields_[field].kind == FieldKind::image ? images_[sample % images_.size()].size()
                                                   : text_of(sample).size();
  }
  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }
  Place place(std::uint64_t, std::size_t) const override { return {.source = "memory"}; }
  std::string fingerprint() const override { return "memory"; }
  const std::vector<std::string>& warnings() const noexcept override { return none_; }

 private:
  static constexpr std::uint64_t kTexts = 4096;
  const std::string& text_of(std::uint64_t sample) const { return texts_[sample % kTexts]; }

  std::uint64_t size_;
  std::vector<std::vector<std::uint8_t>> images_;
  std::vector<std::string> texts_;
  std::vector<FieldInfo> fields_;
  std::vector<std::string> none_;
};

}  // namespace penstock::inline v0
