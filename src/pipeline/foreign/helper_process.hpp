#pragma once
// One process that works for us on arrays: a socket for requests and answers, anonymous shared memory for
// data.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "penstock/foreign_stage.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// What travels through the socket, one packet each way; the other side is python/penstock/_helper.py.
/// Array and texts are in the shared memory, the input at its start.
struct HelperRequest {
  std::uint32_t stage = 0;
  std::uint32_t op = 0;
  std::uint64_t stream = 0;
  std::uint64_t sample = 0;
  std::uint64_t memory_bytes = 0;  ///< of the shared memory, which either side may let grow
  std::uint32_t type = 0;          ///< a Scalar
  std::uint32_t dimensions = 0;
  std::uint64_t shape[kMaxDimensions] = {};
};

struct HelperReply {
  enum Outcome : std::uint32_t { returned = 0, raised = 1, wrong = 2 };
  std::uint32_t outcome = returned;
  std::uint32_t type = 0;
  std::uint32_t dimensions = 0;
  std::uint32_t unused = 0;
  std::uint64_t shape[kMaxDimensions] = {};
  std::uint64_t offset = 0;         ///< of the array or the texts in the shared memory
  std::uint64_t message_bytes = 0;  ///< raised, wrong: message, detail and cause, one after the other
  std::uint64_t detail_bytes = 0;
  std::uint64_t cause_bytes = 0;
};

/// Our end of one helper: its socket and the memory it shares. The memory has no name: it is gone with the
/// last who maps it. One thread at a time.
class HelperProcess {
 public:
  /// Takes over the socket (SOCK_SEQPACKET) and the pidfd, -1 if there is none. `id`: what its starter calls
  /// it.
  HelperProcess(int id, int socket, int process);
  /// Ends the process.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  int id() const noexcept { return id_; }
  int socket() const noexcept { return socket_; }

  /// The first packet: brings the memory's descriptor.
  Status share_memory();
  /// Puts the input of a request into the memory.
  Status put(const ArraySpec& in, const void* data);
  enum class Answer : std::uint8_t { replied, ended, late };
  /// Sends the request for what was put and waits for the reply.
  Answer exchange(std::uint32_t stage, const ArraySpec& in, const StageKey& key,
                  std::optional<double> timeout_seconds, HelperReply& reply);
  /// What the helper says, taken out of the memory: the result into its room, or an error.
  Status read(const HelperReply& reply, const ForeignStage::Room& room);
  bool has_ended() const noexcept;

 private:
  Status reserve(std::size_t bytes);
  std::span<const std::uint8_t> piece(std::uint64_t offset, std::uint64_t bytes);

  const int id_;
  const int socket_;
  // Its end is not always the end of the socket: a fork of this process that was made while the helper was
  // started has the helper's side too.
  const int process_;
  const pid_t owner_;  // the process that may end the helper
  int memory_ = -1;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// What the way to a helper and back takes on this machine as it is now, without the copies and the work:
/// both ends sleep until a packet wakes them. The median of some; a few milliseconds are spent. 0 if it
/// cannot be measured.
double measure_round_trip();

/// For helpers: ends this process soon after `parent` has died or the other end of the socket was closed,
/// whatever the process is doing then.
void end_with(int socket, int parent);

}  // namespace penstock::inline v0
