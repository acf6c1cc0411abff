#pragma once
// The samples of a source, read from a store of it.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "formats/sample_table.hpp"
#include "io/folder.hpp"

namespace penstock::inline v0 {

/// Whether a store that stands for its source was found damaged. Any thread.
class CacheDamage {
 public:
  /// `store`: the folder of a store that was just opened. It stays that one's, whatever is built in its
  /// place.
  explicit CacheDamage(std::shared_ptr<const Folder> store) : store_(std::move(store)) {}

  /// Takes note of a read that failed. Where the store is to blame it loses its manifest, so that the next
  /// loader builds it again.
  void note(const Error& error);
  /// Reads that failed.
  std::uint64_t reads() const noexcept { return reads_.load(std::memory_order_relaxed); }
  /// The first of them.
  std::string first() const;

 private:
  const std::shared_ptr<const Folder> store_;
  std::atomic<std::uint64_t> reads_{0};
  mutable std::mutex mutex_;
  bool marked_ = false;
  std::string first_;
};

/// Fields come from the store, and from the source where the store cannot give them. The rest is the
/// source's, so that a bad sample is named as it is there.
class CachedTable final : public SampleTable {
 public:
  CachedTable(std::shared_ptr<const SampleTable> store, std::shared_ptr<const SampleTable> source,
              std::shared_ptr<CacheDamage> damage);

  std::uint64_t size() const noexcept override { return source_->size(); }
  const std::vector<FieldInfo>& fields() const noexcept override { return source_->fields(); }
  const std::vector<std::string>& classes() const noexcept override { return source_->classes(); }
  std::string key(std::uint64_t sample) const override { return source_->key(sample); }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override;
  void will_read(std::uint64_t sample, std::span<const std::size_t> fields) const override {
    store_->will_read(sample, fields);
  }
  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    return source_->stored_size(sample, field);
  }
  ImageSize image_size(std::uint64_t sample, std::size_t field) const override {
    const ImageSize size = store_->image_size(sample, field);
    return store_->check_lookups(sample).ok() ? size : source_->image_size(sample, field);
  }
  /// The source's: what batches are must not change when the store is complete.
  ImageSize one_size(std::size_t field) const override { return source_->one_size(field); }
  Status check_keys() const override { return source_->check_keys(); }
  Status check_lookups(std::uint64_t sample) const override { return source_->check_lookups(sample); }
  FieldSpec spec(std::size_t field) const override { return source_->spec(field); }
  Place place(std::uint64_t sample, std::size_t field) const override {
    return source_->place(sample, field);
  }
  /// The source's, since the order must not depend on what is read.
  std::vector<std::uint64_t> shard_starts() const override { return source_->shard_starts(); }
  std::string fingerprint() const override { return source_->fingerprint(); }
  std::string identity() const override { return source_->identity(); }
  const std::vector<std::string>& warnings() const noexcept override { return source_->warnings(); }

 private:
  const std::shared_ptr<const SampleTable> store_;
  const std::shared_ptr<const SampleTable> source_;
  const std::shared_ptr<CacheDamage> damage_;
};

}  // namespace penstock::inline v0
