#include "pipeline/cached_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/sha256.hpp"
#include "formats/store_format.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

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

/// Files of a finished store are older than its manifest, which is written last.
bool changed_after_building(const fs::path& store) {
  std::error_code failed;
  const fs::file_time_type built = fs::last_write_time(store / "manifest.json", failed);
  for (const fs::directory_entry& file : fs::directory_iterator(store, failed)) {
    if (!failed && file.last_write_time(failed) > built) {
      return true;
    }
  }
  return static_cast<bool>(failed);
}

}  // namespace

CachedStore::CachedStore(Dataset source, std::string folder)
    : source_(std::move(source)),
      folder_(std::move(folder)),
      path_((fs::path(folder_) /
             fmt::format("{}-{}.store", short_name(source_.description()), identity(source_)))
                .string()) {
  if (try_to_open()) {
    ended_ = true;
  } else {
    worker_ = std::thread([this] { work(); });
  }
}

CachedStore::~CachedStore() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) {
    worker_.join();
  }
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

std::string CachedStore::state() const {
  const std::lock_guard lock(mutex_);
  if (store_) {
    return "complete: " + path_;
  }
  if (failure_) {
    return "could not be built, the source is read instead: " + failure_->to_string();
  }
  return fmt::format("being built, {} of {} samples: {}", progress_.samples, source_.size(), path_);
}

/// Opens a store that is complete, sound and of this source.
bool CachedStore::try_to_open() {
  Result<Dataset> opened = Dataset::open(path_, {.fields = {}, .max_pixels = source_.max_pixels()});
  if (!opened || opened->size() != source_.size() || opened->fingerprint() != source_.fingerprint()) {
    return false;
  }
  if (changed_after_building(path_)) {
    VerifySettings without_decoding;
    without_decoding.decode = false;
    const Result<VerifyReport> report = verify_store(path_, without_decoding);
    if (!report || !report->ok()) {
      return false;
    }
  }
  const std::lock_guard lock(mutex_);
  store_ = std::move(opened).value();
  return true;
}

void CachedStore::work() {
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
  // Looking, clearing away and building are one step for other processes.
  const std::string lock_path = path_ + ".lock";
  PENSTOCK_ASSIGN(FolderLock lock, take_turn(lock_path));
  Status built = try_to_open() ? Status() : build_anew();
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
  settings.max_pixels = source_.max_pixels();
  settings.progress = [this](const BuildProgress& progress) { return go_on(progress); };
  PENSTOCK_TRY(build_store(*source_.table(), source_.description(), path_, settings));
  if (try_to_open()) {
    return {};
  }
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("the store '{}' is not what was written a moment ago", path_),
               .advice = "check the disk",
               .place = {.stage = "cache"}};
}

bool CachedStore::go_on(const BuildProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
  return !given_up_;
}

}  // namespace penstock
