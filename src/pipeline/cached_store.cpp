#include "pipeline/cached_store.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/sha256.hpp"
#include "formats/store.hpp"
#include "io/file.hpp"
#include "pipeline/cache_orphans.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBuildPatience{5};

/// The last component of the source as a plain file name.
std::string short_name(const std::string& description) {
  std::string name = fs::path(description).filename().string();
  if (name.empty()) {
    name = fs::path(description).parent_path().filename().string();
  }
  name.resize(std::min<std::size_t>(name.size(), 60));
  for (char& letter : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
    letter = plain ? letter : '_';
  }
  return name.empty() ? "data" : name;
}

/// What a store must have been made from and how, to stand for the source.
std::string identity(const Dataset& source) {
  const std::string text =
      fmt::format("{}|store {}|{}", source.fingerprint(), kStoreVersion, name_of(StoreImage::repack));
  return to_hex(Sha256().update(text).finish()).substr(0, 8);
}

/// All that can be known without reading the shards, whose fields are checked when they are read.
bool stands_for(const StoreFiles& store, const Dataset& source) {
  const StoreManifest& manifest = store.manifest();
  if (manifest.samples != source.size() || manifest.fields != source.fields() ||
      manifest.arrays != arrays_of(*source.table()) || manifest.fingerprint != source.fingerprint() ||
      crc32c(store.index()) != manifest.index.checksum) {
    return false;
  }
  for (std::size_t shard = 0; shard < manifest.shards.size(); ++shard) {
    if (!store.shard(shard)) {
      return false;
    }
  }
  return true;
}

/// The loader's workers come first: where all cores are busy, the build gets about a tenth of them. Threads
/// inherit it.
void lower_priority() noexcept {
#if defined(__linux__)
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);  // of the calling thread; refused, the build is only less polite
#endif
}

}  // namespace

CachedStore::CachedStore(Dataset source, const std::string& folder, int workers)
    : source_(std::move(source)),
      name_(fmt::format("{}-{}.store", short_name(source_.description()), identity(source_))),
      shown_((fs::path(folder) / name_).string()),
      folder_(absolute_path(folder)),
      path_((fs::path(folder_) / name_).string()),
      workers_(std::max(workers, 1)) {}

std::shared_ptr<CachedStore> CachedStore::start(Dataset source, const std::string& folder, int workers) {
  std::shared_ptr<CachedStore> made(new CachedStore(std::move(source), folder, workers));
  if (made->try_to_open()) {
    made->ended_ = true;
  } else {
    made->worker_ = std::thread([self = made] { self->work(); });
  }
  return made;
}

// The thread owns it too, so that it has ended or was left behind: it may even be the one that is here.
CachedStore::~CachedStore() {
  if (worker_.joinable()) {
    worker_.detach();
  }
}

void CachedStore::stop() noexcept {
  std::unique_lock lock(mutex_);
  if (left_behind_) {
    return;
  }
  given_up_ = true;
  changed_.notify_all();
  left_behind_ = !changed_.wait_for(lock, kBuildPatience, [this] { return ended_; });
  lock.unlock();
  if (!worker_.joinable()) {
    return;
  }
  if (left_behind_) {
    worker_.detach();
  } else {
    worker_.join();
  }
}

std::string CachedStore::left_behind() const {
  const std::lock_guard lock(mutex_);
  return left_behind_ ? fmt::format(
                            "the build of the cache {} did not end within {} s and was left behind; it "
                            "ends when the source answers",
                            shown_, kBuildPatience.count())
                      : "";
}

bool CachedStore::building(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return ended_; });
  return !ended_;
}

std::optional<Dataset> CachedStore::store() const {
  const std::lock_guard lock(mutex_);
  return store_;
}

/// `mutex_` is held. A build that was stopped did not fail.
bool CachedStore::failed() const noexcept { return failure_ && failure_->kind != ErrorKind::cancelled; }

std::string CachedStore::state() const {
  const std::lock_guard lock(mutex_);
  if (store_ && damage_->reads() > 0) {
    return fmt::format(
        "is damaged: {} reads went to the source instead, and the next loader builds it again: {} ({})",
        damage_->reads(), shown_, damage_->first());
  }
  if (store_) {
    return "complete: " + shown_;
  }
  if (failed()) {
    return "could not be built, the source is read instead: " + failure_->to_string();
  }
  return fmt::format("{}, {} of {} samples: {}", failure_ ? "stopped" : "being built", progress_.samples,
                     source_.size(), shown_);
}

bool CachedStore::troubled() const {
  const std::lock_guard lock(mutex_);
  return failed() || (store_ && damage_->reads() > 0);
}

/// Opens a store that is complete and of this source.
bool CachedStore::try_to_open() {
  Result<std::unique_ptr<StoreFiles>> opened = StoreFiles::open({path_, shown_});
  if (!opened || !stands_for(**opened, source_)) {
    return false;
  }
  auto damage = std::make_shared<CacheDamage>(path_);
  auto table =
      std::make_shared<const CachedTable>(store_table(std::move(opened).value()), source_.table(), damage);
  const std::lock_guard lock(mutex_);
  damage_ = std::move(damage);
  store_ = Dataset::of(std::move(table), shown_, {.fields = {}, .max_pixels = source_.max_pixels()});
  return true;
}

void CachedStore::work() {
  lower_priority();
  Status built = build();
  const std::lock_guard lock(mutex_);
  if (!built) {
    failure_ = std::move(built).error();
  }
  ended_ = true;
  changed_.notify_all();
}

Status CachedStore::build() {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) {
    return Error{
        .kind = ErrorKind::io,
        .message = fmt::format("the cache folder '{}' cannot be made: {}", folder_, failed.message()),
        .advice = "give another cache=",
        .place = {.stage = "cache"}};
  }
  remove_cache_orphans(folder_);
  // Looking, clearing away and building are one step for other processes.
  const std::string lock_path = path_ + ".lock";
  PENSTOCK_ASSIGN(FolderLock lock, take_turn(lock_path));
  Status built = try_to_open() ? Status() : build_anew();
  if (!built) {
    clear_away(built.error());
  }
  PENSTOCK_TRY(lock.remove_file());
  fs::remove(lock_path, failed);  // stays if another process waits there
  return built;
}

Result<FolderLock> CachedStore::take_turn(const std::string& lock_path) {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  for (;;) {
    Result<FolderLock> lock = FolderLock::take(lock_path);
    if (lock || lock.error().kind != ErrorKind::timeout) {
      return lock;
    }
    std::unique_lock held(mutex_);
    if (changed_.wait_for(held, kBetweenLooks, [this] { return given_up_; })) {
      return Error{.kind = ErrorKind::cancelled, .message = "the loader ended", .place = {.stage = "cache"}};
    }
  }
}

Status CachedStore::build_anew() {
  std::error_code failed;
  fs::remove_all(path_, failed);  // damaged, or of another version; what is left of it stops the build
  BuildSettings settings;
  settings.keep_damaged = true;
  settings.workers = workers_;
  settings.max_pixels = source_.max_pixels();
  settings.progress = [this](const BuildProgress& progress) { return go_on(progress); };
  PENSTOCK_TRY(build_store(*source_.table(), source_.description(), path_, settings));
  if (try_to_open()) {
    return {};
  }
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("the store '{}' is not what was written a moment ago", shown_),
               .advice = "check the disk",
               .place = {.stage = "cache"}};
}

/// What a build that failed has left would fail again, and may be what fills the disk.
void CachedStore::clear_away(const Error& failure) const {
  const bool goes_on = failure.kind == ErrorKind::cancelled;
  const bool of_others = failure.kind == ErrorKind::timeout;
  if (!goes_on && !of_others) {
    std::error_code ignored;
    fs::remove_all(path_ + ".building", ignored);
  }
}

bool CachedStore::go_on(const BuildProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
  return !given_up_;
}

}  // namespace penstock
