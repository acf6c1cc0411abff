#pragma once
// The helper processes of a loader: started, lent to workers one at a time, replaced and ended.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/foreign_stage.hpp"
#include "penstock/result.hpp"
#include "pipeline/foreign/helper_process.hpp"

namespace penstock::inline v0 {

/// Starts processes, and knows how they ended. Called by any worker.
class HelperStarter {
 public:
  struct Started {
    int id = 0;
    int socket = -1;   ///< SOCK_SEQPACKET; the pool takes it over
    int process = -1;  ///< a pidfd, which the pool takes over; -1: the end of the socket is all there is
  };
  virtual ~HelperStarter() = default;
  /// A helper that is ready for requests, once the first packet has brought it the shared memory's
  /// descriptor.
  virtual Result<Started> start() = 0;
  /// How it ended, human-readable: "was killed by signal 9"; waits for its end if need be.
  virtual std::string ended(int id) = 0;
};

/// Any thread may call it. Keeps as many helpers as calls were ever under way at once.
class HelperPool {
 public:
  /// `timeout_seconds`: the longest that a call may take.
  HelperPool(std::unique_ptr<HelperStarter> starter, std::optional<double> timeout_seconds);
  ~HelperPool();

  /// Runs a stage on one sample, as ForeignStage::run does. A helper that dies is replaced and the sample
  /// tried once more; one that takes too long is ended.
  Status call(std::uint32_t stage, const std::string& name, const ArraySpec& in, const void* data,
              const StageKey& key, const ForeignStage::Room& room);

  /// Takes over a helper that the starter has started on its own, before one is missing.
  Status add(const HelperStarter::Started& started);
  /// Allows calls, again.
  void open();
  /// Ends all helpers; calls under way fail at once, new ones until open().
  void stop() noexcept;

  std::uint64_t started() const noexcept { return started_; }
  /// Helpers that died, or were ended because they took too long.
  std::uint64_t lost() const noexcept { return lost_; }
  std::size_t alive() const;

 private:
  using Helper = HelperProcess;

  Result<std::unique_ptr<Helper>> take();
  Result<std::unique_ptr<Helper>> launch();
  Result<std::unique_ptr<Helper>> adopt(const HelperStarter::Started& started);
  void give_back(std::unique_ptr<Helper> helper);
  void drop(std::unique_ptr<Helper> helper);
  bool stopped() const;

  const int owner_;  // the process that may end the helpers
  const std::unique_ptr<HelperStarter> starter_;
  const std::optional<double> timeout_seconds_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Helper>> idle_;
  std::vector<int> sockets_;  // of all helpers, those at work included
  bool stopped_ = false;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace penstock::inline v0
