#include "pipeline/cached_table.hpp"

#include <system_error>
#include <utility>

#include "formats/store_format.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of(const fs::path& file) {
  std::error_code failed;
  return fs::last_write_time(file, failed);
}

}  // namespace

CacheDamage::CacheDamage(std::string store)
    : manifest_(fs::path(std::move(store)) / kStoreManifestName), written_(time_of(manifest_)) {}

void CacheDamage::note(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (reads_.fetch_add(1, std::memory_order_relaxed) == 0) {
    first_ = error.to_string();
  }
  if (error.kind == ErrorKind::corrupt && !std::exchange(marked_, true) && time_of(manifest_) == written_) {
    std::error_code ignored;  // where nothing can be deleted the next loader finds the damage again
    fs::remove(manifest_, ignored);
  }
}

std::string CacheDamage::first() const {
  const std::lock_guard lock(mutex_);
  return first_;
}

CachedTable::CachedTable(std::shared_ptr<const SampleTable> store, std::shared_ptr<const SampleTable> source,
                         std::shared_ptr<CacheDamage> damage)
    : store_(std::move(store)), source_(std::move(source)), damage_(std::move(damage)) {}

Result<StoredValue> CachedTable::read(std::uint64_t sample, std::size_t field, Scratch& scratch) const {
  Result<StoredValue> value = store_->read(sample, field, scratch);
  if (value) {
    return value;
  }
  damage_->note(value.error());
  return source_->read(sample, field, scratch);
}

}  // namespace penstock
