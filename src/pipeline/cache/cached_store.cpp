#include "pipeline/cache/cached_store.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <string_view>
#include <utility>

#include "core/printable.hpp"
#include "core/sha256.hpp"
#include "formats/store.hpp"
#include "io/path.hpp"
#include "io/permission_advice.hpp"
#include "pipeline/cache/cache_orphans.hpp"
#include "store/build.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::chrono::seconds kBuildPatience{5};

/// The last component of the source as a plain file name.
std::string short_name(const std::string& description) {
  std::string name = last_name(description);
  if (name.empty()) {  // it ends in a slash
    name = last_name(description.substr(0, description.find_last_not_of('/') + 1));
  }
  name.resize(std::min<std::size_t>(name.size(), 60));
  for (char& letter : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
    letter = plain ? letter : '_';
  }
  return name.empty() ? "data" : name;
}

/// What a store must have been made from and how, to stand for the source; 64 hex digits.
std::string identity_of(const Dataset& source) {
  const std::string files = source.table()->identity();
  if (files.empty()) {
    return {};
  }
  const std::string text = fmt::format("{}|{}|store {}|{}", files, source.fingerprint(), kStoreVersion,
                                       name_of(StoreImage::repack));
  return to_hex(Sha256().update(text).finish());
}

/// All that can be known without reading the shards, whose fields are checked when they are read.
bool stands_for(const StoreFiles& store, const Dataset& source, const std::string& identity) {
  const StoreManifest& manifest = store.manifest();
  if (manifest.sources.size() != 1 || manifest.sources[0].identity != identity ||
      manifest.samples != source.size() || manifest.fields != source.fields() ||
      manifest.arrays != arrays_of(*source.table()) || crc32c(store.index()) != manifest.index.checksum) {
    return false;
  }
  for (std::size_t shard = 0; shard < manifest.shards.size(); ++shard) {
    if (!store.shard(shard)) {
      return false;
    }
  }
  return true;
}

Error error_of(const std::exception_ptr& thrown) {
  Error error{.kind = ErrorKind::io, .message = "unknown exception", .place = {.stage = "cache"}};
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    error.message = "not enough memory";
    error.advice = "use fewer num_workers, or build the store beforehand";
  } catch (const std::exception& problem) {
    error.message = problem.what();
  } catch (...) {  // no words known
  }
  return error;
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

CachedStore::CachedStore(Dataset source, const std::string& folder, Trust trust, int workers)
    : source_(std::move(source)),
      named_folder_(folder),
      folder_(absolute_path(folder)),
      rules_{.permissions = kForOneself,
             .trust = std::move(trust),
             .advice = "use a cache= that nobody else can write to, or list those who may with cache_trust="},
      workers_(std::max(workers, 1)) {}

std::shared_ptr<CachedStore> CachedStore::start(Dataset source, const std::string& folder, Trust trust,
                                                int workers) {
  std::shared_ptr<CachedStore> made(new CachedStore(std::move(source), folder, std::move(trust), workers));
  made->end_with([&made]() -> Result<bool> {
    PENSTOCK_ASSIGN(const bool complete, made->begin());
    if (!complete) {
      made->worker_ = std::thread([self = made] { self->work(); });
    }
    return complete;
  });
  return made;
}

/// Whether the store is complete already.
Result<bool> CachedStore::begin() {
  identity_ = identity_of(source_);
  constexpr std::size_t kDigits = 16;
  name_ = fmt::format("{}-{}.store", short_name(source_.description()), identity_.substr(0, kDigits));
  shown_ = join_path(named_folder_, name_);
  path_ = join_path(folder_, name_);
  if (identity_.empty()) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "the source has no files that could be identified",
                 .place = {.stage = "cache"}};
  }
  Result<Folder> opened = checked(Folder::open(folder_, rules_));
  if (!opened && opened.error().kind == ErrorKind::not_found) {
    return false;
  }
  PENSTOCK_ASSIGN(const Folder folder, std::move(opened));
  return try_to_open(folder);
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
                            "the build of the cache {} did not finish within {} s and was abandoned; it ends "
                            "when the source responds",
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
bool CachedStore::failed() const noexcept {
  return thrown_ != nullptr || (failure_ && failure_->kind != ErrorKind::cancelled);
}

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
    const Error failure = failure_ ? *failure_ : error_of(thrown_);
    const bool refused = failure.kind == ErrorKind::invalid;
    return fmt::format("{}, the source is read instead: {}", refused ? "is not used" : "could not be built",
                       failure.to_string());
  }
  return fmt::format("{}, {} of {} samples: {}", failure_ ? "stopped" : "being built", progress_.samples,
                     source_.size(), shown_);
}

bool CachedStore::troubled() const {
  const std::lock_guard lock(mutex_);
  return failed() || (store_ && damage_->reads() > 0);
}

/// The folder of stores, if it can be trusted. With a group that the user named it is shared with that.
Result<Folder> CachedStore::checked(Result<Folder> opened) const {
  PENSTOCK_ASSIGN(Folder folder, std::move(opened));
  PENSTOCK_TRY(folder.check());
  PENSTOCK_ASSIGN(const Entry state, folder.state());
  if (rules_.trust.names_group(state.owner.group)) {
    folder.set_permissions(kForTheGroup);
  }
  return folder;
}

/// Opens a store that is complete and of this source; false if there is none.
Result<bool> CachedStore::try_to_open(const Folder& folder) {
  PENSTOCK_ASSIGN(const std::optional<Entry> found, folder.find(name_));
  if (!found || found->type != Entry::Type::folder) {
    PENSTOCK_TRY(folder.check(name_));
    return false;
  }
  PENSTOCK_ASSIGN(Folder checked_folder, folder.open_folder(name_));
  const auto opened = std::make_shared<const Folder>(std::move(checked_folder));
  Result<std::unique_ptr<StoreFiles>> files = StoreFiles::open_in(opened, {path_, shown_});
  if (!files || !stands_for(**files, source_, identity_)) {
    return false;
  }
  auto damage = std::make_shared<CacheDamage>(opened);
  auto table =
      std::make_shared<const CachedTable>(store_table(std::move(files).value()), source_.table(), damage);
  const std::lock_guard lock(mutex_);
  damage_ = std::move(damage);
  store_ = Dataset::of(std::move(table), shown_, {.fields = {}, .max_pixels = source_.max_pixels()});
  return true;
}

/// Does what begins or completes the cache: true if nothing is left to be done. Whatever happens is its end
/// and never that of the process.
template <class Work>
void CachedStore::end_with(Work&& work) noexcept {
  std::optional<Error> failure;
  std::exception_ptr thrown;
  try {
    Result<bool> ended = work();
    if (ended && !*ended) {
      return;
    }
    if (!ended) {
      failure = std::move(ended).error();
      if (failure->advice == kCheckPermissions) {
        failure->advice = fmt::format(
            "use a cache= of your own, or let its owner open it for reading (chmod -R go+rX '{}'), after "
            "each "
            "store that is built there; a folder of a group that all of you name with cache_trust= is shared "
            "without that",
            printable_path(named_folder_));
      }
    }
  } catch (...) {  // told by state()
    thrown = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  thrown_ = std::move(thrown);
  ended_ = true;
  changed_.notify_all();
}

void CachedStore::work() noexcept {
  lower_priority();
  end_with([this]() -> Result<bool> {
    PENSTOCK_TRY(build());
    return true;
  });
}

Status CachedStore::build() {
  PENSTOCK_ASSIGN(Folder folder, checked(Folder::make(folder_, 0700, rules_)));
  remove_cache_orphans(folder);
  // Looking, clearing away and building are one step for other processes.
  PENSTOCK_ASSIGN(const FileLock lock, take_turn(folder));
  Status built = open_or_build(folder);
  if (!built) {
    remove_remains(folder, built.error());
  }
  (void)folder.remove(name_ + ".lock");  // what stays is cleared by the next loader
  return built;
}

Result<FileLock> CachedStore::take_turn(const Folder& folder) {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  for (;;) {
    Result<FileLock> lock = folder.lock(name_ + ".lock");
    if (lock || lock.error().kind != ErrorKind::timeout) {
      return lock;
    }
    std::unique_lock held(mutex_);
    if (changed_.wait_for(held, kBetweenLooks, [this] { return given_up_; })) {
      return Error{.kind = ErrorKind::cancelled, .message = "the loader ended", .place = {.stage = "cache"}};
    }
  }
}

Status CachedStore::open_or_build(const Folder& folder) {
  PENSTOCK_ASSIGN(bool complete, try_to_open(folder));
  if (complete) {
    return {};
  }
  PENSTOCK_TRY(folder.remove_all(name_));  // damaged, or of another version
  BuildSettings settings;
  settings.keep_damaged = true;
  settings.workers = workers_;
  settings.max_pixels = source_.max_pixels();
  settings.progress = [this](const BuildProgress& progress) { return keep_building(progress); };
  PENSTOCK_ASSIGN(Folder parent, folder.again());
  PENSTOCK_TRY(
      build_store_in(std::move(parent), name_, *source_.table(), source_.description(), identity_, settings));
  PENSTOCK_ASSIGN(complete, try_to_open(folder));
  if (complete) {
    return {};
  }
  return Error{.kind = ErrorKind::corrupt,
               .message = fmt::format("the store '{}' does not match what was just written", shown_),
               .advice = "check the disk",
               .place = {.stage = "cache"}};
}

/// What a build that failed has left would fail again, and may be what fills the disk.
void CachedStore::remove_remains(const Folder& folder, const Error& failure) const {
  const bool goes_on = failure.kind == ErrorKind::cancelled;
  const bool of_others = failure.kind == ErrorKind::timeout;
  const std::string building = name_ + ".building";
  if (!goes_on && !of_others && folder.check(building)) {
    (void)folder.remove_all(building);
  }
}

bool CachedStore::keep_building(const BuildProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
  return !given_up_;
}

}  // namespace penstock::inline v0
