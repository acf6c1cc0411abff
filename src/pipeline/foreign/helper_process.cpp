#include "pipeline/foreign/helper_process.hpp"

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
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include "io/descriptor.hpp"

namespace penstock::inline v0 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMinMemory = std::size_t{1} << 20;
constexpr double kMaxCallSeconds = 1e8;  // what a clock can count
// A helper whose owner is gone may finish what it is at, for so long.
constexpr std::chrono::milliseconds kLastWords{1000};
constexpr int kLookAfterParent = 500;  // ms; only where the system has no pidfd

Error system_error(const char* what) {
  return Error{.kind = ErrorKind::io,
               .message = fmt::format("{}: {}", what, std::strerror(errno)),
               .advice = "",
               .place = {}};
}

Error nonsense() {
  return Error{.kind = ErrorKind::io,
               .message = "a helper process sent a malformed reply",
               .advice = "check that the function does not write to memory that is not its own",
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
    return system_error("a helper process did not accept its memory");
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

HelperProcess::HelperProcess(int id, int socket, int process)
    : id_(id), socket_(socket), process_(process), owner_(::getpid()) {}

HelperProcess::~HelperProcess() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
  if (memory_ >= 0) {
    ::close(memory_);
  }
  if (::getpid() == owner_) {        // the helpers of a fork's parent continue
    ::shutdown(socket_, SHUT_RDWR);  // also where a fork holds the same socket: the helper must notice
  }
  ::close(socket_);
  if (process_ >= 0) {
    ::close(process_);
  }
}

Status HelperProcess::share_memory() {
  memory_ = ::memfd_create("penstock-helper", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Sealed: memory that becomes shorter under a mapping would end this process.
  if (memory_ < 0 || ::fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) {
    return system_error("no shared memory for a helper process");
  }
  return send_descriptor(socket_, memory_);
}

/// At least that many bytes, of which earlier contents are kept.
Status HelperProcess::reserve(std::size_t bytes) {
  struct stat status {};
  if (::fstat(memory_, &status) != 0) {
    return system_error("shared memory of a helper process");
  }
  std::size_t there = static_cast<std::size_t>(status.st_size);
  if (there < bytes) {
    there = std::max(kMinMemory, bytes + bytes / 4);
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

Status HelperProcess::put(const ArraySpec& in, const void* data) {
  PENSTOCK_TRY(reserve(in.bytes()));
  std::memcpy(data_, data, in.bytes());
  return {};
}

HelperProcess::Answer HelperProcess::exchange(std::uint32_t stage, const ArraySpec& in, const StageKey& key,
                                              std::optional<double> timeout_seconds, HelperReply& reply) {
  std::optional<Clock::time_point> deadline;
  if (timeout_seconds) {
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(*timeout_seconds, kMaxCallSeconds)));
  }
  HelperRequest request{.stage = stage,
                        .op = key.op,
                        .stream = key.stream,
                        .sample = key.sample,
                        .memory_bytes = size_,
                        .type = static_cast<std::uint32_t>(in.type),
                        .dimensions = static_cast<std::uint32_t>(in.shape.size())};
  std::copy(in.shape.begin(), in.shape.end(), request.shape);
  if (::send(socket_, &request, sizeof request, MSG_NOSIGNAL) != sizeof request) {
    return Answer::ended;
  }
  for (;;) {
    pollfd waiting[] = {{.fd = socket_, .events = POLLIN, .revents = 0},
                        {.fd = process_, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(waiting, 2, milliseconds_until(deadline));
    if (ready == 0) {
      return Answer::late;
    }
    if (ready < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Answer::ended;
    }
    // Whichever was ready: an answer counts, also of a process that has ended since.
    return ::recv(socket_, &reply, sizeof reply, MSG_DONTWAIT) == sizeof reply ? Answer::replied
                                                                               : Answer::ended;
  }
}

Status HelperProcess::read(const HelperReply& reply, const ForeignStage::Room& room) {
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
  if (reply.dimensions > kMaxDimensions || reply.type >= kScalarTypes) {
    return nonsense();
  }
  const ArraySpec result{.type = static_cast<Scalar>(reply.type),
                         .shape = {reply.shape, reply.shape + reply.dimensions}};
  PENSTOCK_ASSIGN(void* const out, room(result));
  const std::span<const std::uint8_t> array = piece(reply.offset, result.bytes());
  if (array.size() != result.bytes()) {
    return nonsense();
  }
  std::memcpy(out, array.data(), array.size());
  return {};
}

bool HelperProcess::has_ended() const noexcept {
  pollfd ends[] = {{.fd = socket_, .events = POLLRDHUP, .revents = 0},
                   {.fd = process_, .events = POLLIN, .revents = 0}};
  return ::poll(ends, 2, 0) > 0;
}

/// A piece of the memory that the helper wrote; empty if there is no such piece.
std::span<const std::uint8_t> HelperProcess::piece(std::uint64_t offset, std::uint64_t bytes) {
  if (offset > size_ || bytes > size_ - offset) {
    if (bytes > (std::uint64_t{1} << 40) || !reserve(size_ + 1) || offset > size_ || bytes > size_ - offset) {
      return {};
    }
  }
  return {data_ + offset, static_cast<std::size_t>(bytes)};
}

double measure_round_trip() {
  constexpr std::size_t kTrips = 31;
  int ends[2] = {};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return 0;
  }
  const Descriptor here(ends[0]);
  const Descriptor there(ends[1]);
  std::thread helper;
  try {
    helper = std::thread([socket = there.get()] {
      HelperRequest request;
      const HelperReply reply;
      while (::recv(socket, &request, sizeof request, 0) == sizeof request) {
        ::send(socket, &reply, sizeof reply, MSG_NOSIGNAL);
      }
    });
  } catch (const std::system_error&) {
    return 0;  // the system refuses another thread
  }
  std::array<double, kTrips> seconds{};
  std::size_t trips = 0;
  const HelperRequest request;
  HelperReply reply;
  for (; trips < kTrips; ++trips) {
    const Clock::time_point start = Clock::now();
    if (::send(here.get(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request ||
        ::recv(here.get(), &reply, sizeof reply, 0) != sizeof reply) {
      break;
    }
    seconds[trips] = std::chrono::duration<double>(Clock::now() - start).count();
  }
  ::shutdown(here.get(), SHUT_RDWR);
  helper.join();
  if (trips == 0) {
    return 0;
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(trips / 2);
  std::nth_element(seconds.begin(), middle, seconds.begin() + static_cast<std::ptrdiff_t>(trips));
  return *middle;
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

}  // namespace penstock::inline v0
