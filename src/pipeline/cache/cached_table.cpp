#include "pipeline/cache/cached_table.hpp"

#include <utility>

#include "formats/store_format.hpp"

namespace penstock::inline v0 {

void CacheDamage::note(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (reads_.fetch_add(1, std::memory_order_relaxed) == 0) {
    first_ = error.to_string();
  }
  if (error.kind == ErrorKind::corrupt && !std::exchange(marked_, true)) {
    (void)store_->remove(kStoreManifestName);  // where nothing can be deleted the next loader finds it again
  }
}

std::string CacheDamage::first() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

CachedTable::CachedTable(std::shared_ptr<const SampleTable> store, std::shared_ptr<const SampleTable> source,
                         std::shared_ptr<CacheDamage> damage)
    : store_(std::move(store)), source_(std::move(source)), damage_(std::move(damage)) {}

Result<StoredValue> CachedTable::read(std::uint64_t sample, std::size_t field) const {
  Result<StoredValue> value = store_->read(sample, field);
  if (value) {
    return value;
  }
  damage_->note(value.error());
  return source_->read(sample, field);
}

}  // namespace penstock::inline v0
