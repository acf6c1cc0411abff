#pragma once
// The store that a loader builds of its source while the first epoch is read from the source itself.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "io/folder.hpp"
#include "penstock/dataset.hpp"
#include "penstock/store.hpp"
#include "pipeline/cache/cached_table.hpp"

namespace penstock::inline v0 {

/// Looks for the store of a data set in a folder of stores; where it is missing, incomplete or damaged,
/// builds it on threads of its own. Of several processes that start at once one builds and the others look
/// for its result; if it dies, another continues. Whatever goes wrong is told by state() and is not an error
/// of the loader. Any thread may call any member.
class CachedStore : public std::enable_shared_from_this<CachedStore> {
 public:
  /// `folder` is made if it is not there, and used if nobody but those of `trust` can have written what is
  /// read from it. The build uses at most `workers` threads (at least one).
  static std::shared_ptr<CachedStore> start(Dataset source, const std::string& folder, Trust trust,
                                            int workers);
  ~CachedStore();
  CachedStore(const CachedStore&) = delete;
  CachedStore& operator=(const CachedStore&) = delete;

  /// Where the store is, or will be: <folder>/<name of the source>-<16 hex digits>.store, from the root on.
  const std::string& path() const noexcept { return path_; }
  /// Whether it is neither complete nor given up, after waiting for at most `patience`.
  bool building(std::chrono::milliseconds patience);
  /// The source as read from its store, once that is complete.
  std::optional<Dataset> store() const;
  /// One human-readable line: complete, being built (how far), damaged, or why it could not be built.
  std::string state() const;
  /// Whether the store could not be built, is not used or is damaged, as state() says.
  bool troubled() const;
  /// Ends an unfinished build; the next loader resumes it. One that a source holds up for longer than 5 s is
  /// left behind: it ends when the source answers, and owns what it needs until then.
  void stop() noexcept;
  /// That it was, human-readable; empty if not.
  std::string left_behind() const;

 private:
  CachedStore(Dataset source, const std::string& folder, Trust trust, int workers);
  Result<bool> begin();
  void work() noexcept;
  template <class Work>
  void end_with(Work&& work) noexcept;
  Result<Folder> checked(Result<Folder> opened) const;
  Result<bool> try_to_open(const Folder& folder);
  Status build();
  Status open_or_build(const Folder& folder);
  void remove_remains(const Folder& folder, const Error& failure) const;
  bool failed() const noexcept;
  Result<FileLock> take_turn(const Folder& folder);
  bool keep_building(const BuildProgress& progress);

  const Dataset source_;
  const std::string named_folder_;  // as the user gave it
  const std::string folder_;
  const FolderRules rules_;
  const int workers_;
  // Set by begin().
  std::string identity_;  // of the source
  std::string name_;      // of the store in its folder
  std::string shown_;     // human-readable
  std::string path_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool given_up_ = false;  // by stop()
  bool ended_ = false;
  bool left_behind_ = false;
  BuildProgress progress_;
  std::optional<Dataset> store_;
  std::shared_ptr<CacheDamage> damage_;  // of the store
  std::optional<Error> failure_;
  std::exception_ptr thrown_;  // kept as it is: where memory ran out there may be none for words
  std::thread worker_;
};

}  // namespace penstock::inline v0
