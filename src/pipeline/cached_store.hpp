#pragma once
// The store that a loader builds of its source while the first epoch is read from the source itself.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "penstock/dataset.hpp"
#include "penstock/store.hpp"
#include "pipeline/cached_table.hpp"
#include "store/disk_file.hpp"

namespace penstock {

/// Looks for the store of a data set in a folder of stores; where it is missing, incomplete or damaged,
/// builds it on threads of its own. Of several processes that start at once one builds and the others look
/// for its result; if it dies, another goes on. Any thread may call any member.
class CachedStore : public std::enable_shared_from_this<CachedStore> {
 public:
  /// `folder` is made if it is not there. The build uses at most `workers` threads (at least one).
  static std::shared_ptr<CachedStore> start(Dataset source, const std::string& folder, int workers);
  ~CachedStore();
  CachedStore(const CachedStore&) = delete;
  CachedStore& operator=(const CachedStore&) = delete;

  /// Where the store is, or will be: <folder>/<name of the source>-<8 hex digits>.store, from the root on.
  const std::string& path() const noexcept { return path_; }
  /// Whether it is neither complete nor given up, after waiting for at most `patience`.
  bool building(std::chrono::milliseconds patience);
  /// The source as read from its store, once that is complete.
  std::optional<Dataset> store() const;
  /// One line for people: complete, being built (how far), damaged, or why it could not be built.
  std::string state() const;
  /// Whether the store could not be built or is damaged, as state() says.
  bool troubled() const;
  /// Ends an unfinished build; the next loader resumes it. One that a source holds up for longer than 5 s is
  /// left behind: it ends when the source answers, and owns what it needs until then.
  void stop() noexcept;
  /// That it was, for people; empty if not.
  std::string left_behind() const;

 private:
  CachedStore(Dataset source, const std::string& folder, int workers);
  void work();
  bool try_to_open();
  Status build();
  Status build_anew();
  void clear_away(const Error& failure) const;
  bool failed() const noexcept;
  Result<FolderLock> take_turn(const std::string& lock_path);
  bool go_on(const BuildProgress& progress);

  const Dataset source_;
  const std::string name_;   // of the store in its folder
  const std::string shown_;  // for people: the folder as they gave it
  const std::string folder_;
  const std::string path_;
  const int workers_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool given_up_ = false;  // by stop()
  bool ended_ = false;
  bool left_behind_ = false;
  BuildProgress progress_;
  std::optional<Dataset> store_;
  std::shared_ptr<CacheDamage> damage_;  // of the store
  std::optional<Error> failure_;
  std::thread worker_;
};

}  // namespace penstock
