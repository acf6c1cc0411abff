#include "pipeline/foreign/helper_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

int receive_descriptor(int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  int descriptor = -1;
  if (::recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message) != nullptr) {
    std::memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
  }
  return descriptor;
}

/// What a helper of these tests does with a request; false: it dies.
using Serve = std::function<bool(int helper, const HelperRequest&, int memory, HelperReply&)>;

/// Helpers are threads of the test: the pool sees nothing but their sockets.
class ThreadStarter final : public HelperStarter {
 public:
  explicit ThreadStarter(Serve serve) : serve_(std::move(serve)) {}
  ~ThreadStarter() override {
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }

  Result<Started> start() override {
    int ends[2] = {};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      return Error{.kind = ErrorKind::io, .message = "no socket", .advice = "", .place = {}};
    }
    const int id = static_cast<int>(threads_.size());
    threads_.emplace_back([this, id, socket = ends[1]] {
      const int memory = receive_descriptor(socket);
      HelperRequest request;
      while (::recv(socket, &request, sizeof request, 0) == sizeof request) {
        HelperReply reply;
        if (!serve_(id, request, memory, reply)) {
          break;
        }
        ::send(socket, &reply, sizeof reply, MSG_NOSIGNAL);
      }
      ::close(memory);
      ::close(socket);
    });
    return Started{.id = id, .socket = ends[0]};
  }
  std::string ended(int id) override { return "was number " + std::to_string(id); }

 private:
  const Serve serve_;
  std::vector<std::thread> threads_;
};

/// Returns the first `bytes` of the input, each plus one, as uint8.
bool add_one(const HelperRequest& request, int memory, std::uint64_t bytes, HelperReply& reply) {
  reply.type = static_cast<std::uint32_t>(Scalar::uint8);
  reply.dimensions = 1;
  reply.shape[0] = bytes;
  reply.offset = (request.shape[0] + 63) / 64 * 64;
  struct stat status {};
  const std::uint64_t needed = reply.offset + bytes;
  if (::fstat(memory, &status) == 0 && static_cast<std::uint64_t>(status.st_size) < needed) {
    EXPECT_EQ(::ftruncate(memory, static_cast<off_t>(needed)), 0);
  }
  auto* data = static_cast<std::uint8_t*>(
      ::mmap(nullptr, std::max(needed, request.memory_bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0));
  for (std::uint64_t i = 0; i < bytes; ++i) {
    data[reply.offset + i] = static_cast<std::uint8_t>(data[i % request.shape[0]] + 1);
  }
  ::munmap(data, std::max(needed, request.memory_bytes));
  return true;
}

struct Called {
  Status status;
  std::vector<std::uint8_t> result;
};

Called call(HelperPool& pool, std::vector<std::uint8_t> input) {
  Called called;
  const ArraySpec in{Scalar::uint8, {input.size()}};
  called.status = pool.call(0, "work", in, input.data(), {}, [&](const ArraySpec& spec) -> Result<void*> {
    called.result.resize(spec.bytes());
    return static_cast<void*>(called.result.data());
  });
  return called;
}

TEST(HelperPool, brings_arrays_there_and_back) {
  HelperPool pool(
      std::make_unique<ThreadStarter>([](int, const HelperRequest& request, int memory, HelperReply& reply) {
        return add_one(request, memory, request.shape[0], reply);
      }),
      10.0);
  for (std::uint8_t i = 0; i < 100; ++i) {
    const Called called = call(pool, {i, 7});
    ASSERT_TRUE(called.status.ok()) << called.status.error().message;
    EXPECT_EQ(called.result, (std::vector<std::uint8_t>{static_cast<std::uint8_t>(i + 1), 8}));
  }
  EXPECT_EQ(pool.started(), 1U);
  EXPECT_EQ(pool.lost(), 0U);
}

TEST(HelperPool, lets_the_memory_grow_on_either_side) {
  constexpr std::uint64_t kLarge = 5 << 20;
  HelperPool pool(
      std::make_unique<ThreadStarter>([](int, const HelperRequest& request, int memory, HelperReply& reply) {
        return add_one(request, memory, kLarge, reply);
      }),
      10.0);
  EXPECT_EQ(call(pool, {1, 2, 3}).result.size(), kLarge);
  const Called called = call(pool, std::vector<std::uint8_t>(2 * kLarge, 9));
  ASSERT_TRUE(called.status.ok());
  EXPECT_EQ(called.result.size(), kLarge);
  EXPECT_EQ(called.result[kLarge - 1], 10);
}

TEST(HelperPool, tries_again_with_another_helper_when_one_dies) {
  HelperPool pool(std::make_unique<ThreadStarter>(
                      [](int id, const HelperRequest& request, int memory, HelperReply& reply) {
                        return id > 0 && add_one(request, memory, 1, reply);
                      }),
                  10.0);
  EXPECT_EQ(call(pool, {4}).result, std::vector<std::uint8_t>{5});
  EXPECT_EQ(pool.started(), 2U);
  EXPECT_EQ(pool.lost(), 1U);
  EXPECT_EQ(pool.alive(), 1U);
}

TEST(HelperPool, tries_again_when_a_helper_dies_before_it_is_ready) {
  class Unlucky final : public HelperStarter {
   public:
    Result<Started> start() override {
      if (++starts_ % 3 != 0) {
        return Error{.kind = ErrorKind::io, .message = "it was killed", .advice = "", .place = {}};
      }
      return threads_.start();
    }
    std::string ended(int id) override { return threads_.ended(id); }

   private:
    int starts_ = 0;
    ThreadStarter threads_{[](int, const HelperRequest& request, int memory, HelperReply& reply) {
      return add_one(request, memory, 1, reply);
    }};
  };
  HelperPool pool(std::make_unique<Unlucky>(), 10.0);
  EXPECT_EQ(call(pool, {4}).result, std::vector<std::uint8_t>{5});
  EXPECT_EQ(pool.started(), 1U);
}

TEST(HelperPool, reports_a_sample_that_ends_two_helpers) {
  HelperPool pool(
      std::make_unique<ThreadStarter>([](int, const HelperRequest&, int, HelperReply&) { return false; }),
      10.0);
  const Called called = call(pool, {4});
  ASSERT_FALSE(called.status.ok());
  EXPECT_EQ(called.status.error().kind, ErrorKind::io);
  EXPECT_THAT(called.status.error().message, HasSubstr("the last was number 1"));
  EXPECT_EQ(pool.alive(), 0U);
}

TEST(HelperPool, gives_up_a_helper_that_takes_too_long) {
  std::atomic<bool> resume{false};
  HelperPool pool(std::make_unique<ThreadStarter>(
                      [&](int id, const HelperRequest& request, int memory, HelperReply& reply) {
                        while (id == 0 && !resume) {
                          std::this_thread::yield();
                        }
                        return add_one(request, memory, 1, reply);
                      }),
                  0.2);
  const Called called = call(pool, {4});
  ASSERT_FALSE(called.status.ok());
  EXPECT_EQ(called.status.error().kind, ErrorKind::timeout);
  EXPECT_THAT(called.status.error().message, HasSubstr("work took longer than 0.2 s"));
  resume = true;
}

TEST(HelperPool, stopping_wakes_those_who_wait) {
  std::atomic<bool> asked{false};
  std::atomic<bool> resume{false};
  HelperPool pool(std::make_unique<ThreadStarter>([&](int, const HelperRequest&, int, HelperReply&) {
                    asked = true;
                    while (!resume) {
                      std::this_thread::yield();
                    }
                    return false;
                  }),
                  std::nullopt);
  Called called;
  std::thread caller([&] { called = call(pool, {4}); });
  while (!asked) {
    std::this_thread::yield();
  }
  pool.stop();
  caller.join();
  resume = true;
  ASSERT_FALSE(called.status.ok());
  EXPECT_EQ(called.status.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(call(pool, {4}).status.error().kind, ErrorKind::cancelled) << "until it is opened again";
}

TEST(HelperProcess, knows_what_the_way_to_another_takes) {
  const auto start = std::chrono::steady_clock::now();
  const double seconds = measure_round_trip();
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

TEST(HelperPool, does_not_trust_what_a_helper_says) {
  HelperPool pool(
      std::make_unique<ThreadStarter>([](int, const HelperRequest& request, int, HelperReply& reply) {
        reply.dimensions = request.shape[0] == 1 ? 99 : 1;
        reply.type = static_cast<std::uint32_t>(Scalar::uint8);
        reply.shape[0] = 1000;
        reply.offset = std::uint64_t{1} << 50;
        return true;
      }),
      10.0);
  for (const std::size_t size : {1, 2}) {
    const Called called = call(pool, std::vector<std::uint8_t>(size, 0));
    ASSERT_FALSE(called.status.ok());
    EXPECT_THAT(called.status.error().message, HasSubstr("malformed reply"));
  }
}

}  // namespace
}  // namespace penstock::inline v0
