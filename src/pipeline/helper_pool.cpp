#include "pipeline/helper_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <thread>
#include <utility>

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLeastMemory = std::size_t{1} << 20;
// A helper whose owner is gone may finish what it is at, for so long.
constexpr std::chrono::milliseconds kLastWords{1000};
constexpr int kMostStarts = 3;
constexpr int kLookAfterParent = 500;  // ms; only where the system has no pidfd

Error system_error(const char* what) {
  return Error{.kind = ErrorKind::io,
               .message = fmt::format("{}: {}", what, std::strerror(errno)),
               .advice = "",
               .place = {}};
}

Error stopped_error() {
  return Error{.kind = ErrorKind::cancelled,
               .message = "the helper processes were ended",
               .advice = "open a new loader",
               .place = {}};
}

Status send_descriptor(int socket, int descriptor) {
  char byte = 'm';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    return system_error("a helper process did not take its memory");
  }
  return {};
}

int milliseconds_until(const std::optional<Clock::time_point>& deadline) {
  if (!deadline) {
    return -1;
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

}  // namespace

/// Socket and shared memory of one process. The memory has no name: it is gone with the last who maps it.
class HelperPool::Helper {
 public:
  explicit Helper(HelperStarter::Started started) : id(started.id), socket(started.socket) {}
  ~Helper() {
    if (data_ != nullptr) {
      ::munmap(data_, size_);
    }
    if (memory_ >= 0) {
      ::close(memory_);
    }
    if (::getpid() == owner_) {       // the helpers of a fork's parent go on
      ::shutdown(socket, SHUT_RDWR);  // also where a fork holds the same socket: the helper must notice
    }
    ::close(socket);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  Status share_memory() {
    memory_ = ::memfd_create("penstock-helper", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // Sealed: memory that becomes shorter under a mapping would end this process.
    if (memory_ < 0 || ::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
      return system_error("no shared memory for a helper process");
    }
    return send_descriptor(socket, memory_);
  }

  /// At least so many bytes, of which earlier contents are kept.
  Status reserve(std::size_t bytes) {
    struct stat status {};
    if (::fstat(memory_, &status) != 0) {
      return system_error("shared memory of a helper process");
    }
    std::size_t there = static_cast<std::size_t>(status.st_size);
    if (there < bytes) {
      there = std::max(kLeastMemory, bytes + bytes / 4);
      if (::ftruncate(memory_, static_cast<off_t>(there)) != 0) {
        return system_error("shared memory of a helper process");
      }
    }
    if (there == size_) {
      return {};
    }
    void* const mapped = ::mmap(nullptr, there, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
    if (mapped == MAP_FAILED) {
      return system_error("shared memory of a helper process");
    }
    if (data_ != nullptr) {
      ::munmap(data_, size_);
    }
    data_ = static_cast<std::uint8_t*>(mapped);
    size_ = there;
    return {};
  }

  bool has_ended() const noexcept {
    pollfd end{.fd = socket, .events = POLLRDHUP, .revents = 0};
    return ::poll(&end, 1, 0) > 0;
  }

  /// A piece of the memory that the helper wrote; empty if there is no such piece.
  std::span<const std::uint8_t> piece(std::uint64_t offset, std::uint64_t bytes) {
    if (offset > size_ || bytes > size_ - offset) {
      if (bytes > (std::uint64_t{1} << 40) || !reserve(size_ + 1) || offset > size_ ||
          bytes > size_ - offset) {
        return {};
      }
    }
    return {data_ + offset, static_cast<std::size_t>(bytes)};
  }

  std::uint8_t* data() noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  const int id;
  const int socket;

 private:
  const pid_t owner_ = ::getpid();
  int memory_ = -1;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

struct HelperPool::Call {
  std::uint32_t stage;
  const ArraySpec& in;
  const void* data;
  const StageKey& key;
};

HelperPool::HelperPool(std::unique_ptr<HelperStarter> starter, std::optional<double> timeout_seconds)
    : owner_(::getpid()), starter_(std::move(starter)), timeout_seconds_(timeout_seconds) {}

HelperPool::~HelperPool() { stop(); }

void HelperPool::open() {
  const std::lock_guard lock(mutex_);
  stopped_ = false;
}

bool HelperPool::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::size_t HelperPool::alive() const {
  const std::lock_guard lock(mutex_);
  return sockets_.size();
}

void HelperPool::stop() noexcept {
  if (::getpid() != owner_) {
    return;  // a fork: the helpers are the parent's, and the lock may be held for ever
  }
  std::vector<std::unique_ptr<Helper>> ending;
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const int socket : sockets_) {
    ::shutdown(socket, SHUT_RDWR);  // wakes who waits for an answer, and ends the helper
  }
  ending.swap(idle_);
  for (const auto& helper : ending) {
    std::erase(sockets_, helper->socket);
  }
}

Result<std::unique_ptr<HelperPool::Helper>> HelperPool::launch() {
  PENSTOCK_ASSIGN(const HelperStarter::Started started, starter_->start());
  auto helper = std::make_unique<Helper>(started);
  ++started_;
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    return stopped_error();
  }
  PENSTOCK_TRY(helper->share_memory());
  sockets_.push_back(helper->socket);
  return helper;
}

Status HelperPool::start_one() {
  PENSTOCK_ASSIGN(std::unique_ptr<Helper> helper, launch());
  give_back(std::move(helper));
  return {};
}

Result<std::unique_ptr<HelperPool::Helper>> HelperPool::take() {
  std::vector<int> dead;
  std::unique_ptr<Helper> helper;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return stopped_error();
    }
    while (!helper && !idle_.empty()) {
      helper = std::move(idle_.back());
      idle_.pop_back();
      if (helper->has_ended()) {  // while it had nothing to do: no fault of the sample that comes next
        dead.push_back(helper->id);
        std::erase(sockets_, helper->socket);
        helper.reset();
      }
    }
  }
  for (const int id : dead) {
    ++lost_;
    starter_->ended(id);
  }
  if (helper) {
    return helper;
  }
  for (int starts = 1;; ++starts) {  // one may die before it is ready, as well as later
    Result<std::unique_ptr<Helper>> started = launch();
    if (started || started.error().kind != ErrorKind::io || starts == kMostStarts) {
      return started;
    }
  }
}

void HelperPool::give_back(std::unique_ptr<Helper> helper) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      idle_.push_back(std::move(helper));
      return;
    }
  }
  drop(std::move(helper));
}

void HelperPool::drop(std::unique_ptr<Helper> helper) {
  const std::lock_guard lock(mutex_);
  std::erase(sockets_, helper->socket);
  helper.reset();
}

HelperPool::Answer HelperPool::exchange(Helper& helper, const Call& call, HelperReply& reply) const {
  std::optional<Clock::time_point> deadline;
  if (timeout_seconds_) {
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(*timeout_seconds_, 1e8)));
  }
  HelperRequest request{.stage = call.stage,
                        .op = call.key.op,
                        .stream = call.key.stream,
                        .sample = call.key.sample,
                        .memory_bytes = helper.size(),
                        .type = static_cast<std::uint32_t>(call.in.type),
                        .dimensions = static_cast<std::uint32_t>(call.in.shape.size())};
  std::copy(call.in.shape.begin(), call.in.shape.end(), request.shape);
  if (::send(helper.socket, &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
    return Answer::ended;
  }
  for (;;) {
    pollfd waiting{.fd = helper.socket, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, milliseconds_until(deadline));
    if (ready == 0) {
      return Answer::late;
    }
    if (ready < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Answer::ended;
    }
    return ::recv(helper.socket, &reply, sizeof reply, MSG_DONTWAIT) == sizeof reply ? Answer::replied
                                                                                     : Answer::ended;
  }
}

namespace {

/// What the helper says, taken out of its memory.
template <class Piece>
Status read_reply(const HelperReply& reply, Piece&& piece, const ForeignStage::Room& room) {
  const auto nonsense = [] {
    return Error{.kind = ErrorKind::io,
                 .message = "a helper process answered with nonsense",
                 .advice = "does the function write to memory that is not its own?",
                 .place = {}};
  };
  if (reply.outcome != HelperReply::returned) {
    std::uint64_t at = reply.offset;
    const auto text = [&](std::uint64_t bytes) {
      const std::span<const std::uint8_t> found = piece(at, bytes);
      at += bytes;
      return std::string(found.begin(), found.end());
    };
    Error error{.kind = reply.outcome == HelperReply::raised ? ErrorKind::corrupt : ErrorKind::invalid,
                .message = text(reply.message_bytes),
                .advice = "",
                .place = {}};
    error.detail = text(reply.detail_bytes);
    error.cause = text(reply.cause_bytes);
    return error;
  }
  if (reply.dimensions > kMostDimensions || reply.type > static_cast<std::uint32_t>(Scalar::float64)) {
    return nonsense();
  }
  const ArraySpec result{.type = static_cast<Scalar>(reply.type),
                         .shape = {reply.shape, reply.shape + reply.dimensions},
                         .fixed = false};
  PENSTOCK_ASSIGN(void* const out, room(result));
  const std::span<const std::uint8_t> array = piece(reply.offset, result.bytes());
  if (array.size() != result.bytes()) {
    return nonsense();
  }
  std::memcpy(out, array.data(), array.size());
  return {};
}

}  // namespace

Status HelperPool::call(std::uint32_t stage, const std::string& name, const ArraySpec& in, const void* data,
                        const StageKey& key, const ForeignStage::Room& room) {
  if (in.shape.size() > kMostDimensions) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("{} is given an array of {} dimensions", name, in.shape.size()),
                 .advice = "",
                 .place = {}};
  }
  for (bool again = false;; again = true) {
    PENSTOCK_ASSIGN(std::unique_ptr<Helper> helper, take());
    Status room_there = helper->reserve(in.bytes());
    if (!room_there) {
      drop(std::move(helper));
      return room_there;
    }
    std::memcpy(helper->data(), data, in.bytes());
    HelperReply reply;
    const Answer answer = exchange(*helper, {stage, in, data, key}, reply);
    if (answer == Answer::replied) {
      Status done = read_reply(
          reply, [&](std::uint64_t offset, std::uint64_t bytes) { return helper->piece(offset, bytes); },
          room);
      give_back(std::move(helper));
      return done;
    }
    const int id = helper->id;
    drop(std::move(helper));
    if (stopped()) {
      return stopped_error();
    }
    ++lost_;
    const std::string end = starter_->ended(id);
    if (answer == Answer::late) {
      return Error{.kind = ErrorKind::timeout,
                   .message = fmt::format("{} took longer than {:.1f} s, and its helper process was ended",
                                          name, *timeout_seconds_),
                   .advice = "make it faster, or raise timeout_seconds",
                   .place = {}};
    }
    if (again) {
      return Error{.kind = ErrorKind::io,
                   .message = fmt::format("{} ended two helper processes; the last {}", name, end),
                   .advice = "",
                   .place = {}};
    }
  }
}

void end_with(int socket, int parent) {
  int parent_ends = -1;
#ifdef SYS_pidfd_open
  parent_ends = static_cast<int>(::syscall(SYS_pidfd_open, parent, 0));
#endif
  std::thread([socket, parent, parent_ends] {
    for (;;) {
      pollfd watched[] = {{.fd = socket, .events = POLLRDHUP, .revents = 0},
                          {.fd = parent_ends, .events = POLLIN, .revents = 0}};
      const int ready = ::poll(watched, 2, parent_ends < 0 ? kLookAfterParent : -1);
      const bool parent_gone = parent_ends < 0 && ::kill(parent, 0) != 0 && errno == ESRCH;
      if (ready > 0 || parent_gone) {
        std::this_thread::sleep_for(kLastWords);
        ::_exit(0);
      }
    }
  }).detach();
}

}  // namespace penstock
