#include "io/read_buffers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace penstock::inline v0 {
namespace {

Result<Bytes> filled(ReadBuffers& buffers, std::size_t size, char with) {
  return buffers.read([&](Scratch& memory) -> Result<ByteSpan> {
    std::uint8_t* const data = memory.reserve(size);
    std::memset(data, with, size);
    return ByteSpan(data, size);
  });
}

TEST(read_buffers, come_back_from_the_last_holder_in_any_thread) {
  ReadBuffers buffers;
  Bytes first = filled(buffers, 100, 'a').value();
  const std::uint8_t* const place = first.data();
  Bytes second = first;
  EXPECT_EQ(buffers.idle(), 0u);
  first = Bytes();
  EXPECT_EQ(buffers.idle(), 0u);
  EXPECT_EQ(second[99], 'a');
  std::thread([moved = std::move(second)] { EXPECT_EQ(moved[0], 'a'); }).join();
  EXPECT_EQ(buffers.idle(), 1u);
  EXPECT_EQ(filled(buffers, 90, 'b')->data(), place) << "no memory is taken for the next one";
}

TEST(read_buffers, come_back_after_an_error) {
  ReadBuffers buffers;
  const auto failed = buffers.read([](Scratch&) -> Result<ByteSpan> {
    return Error{.kind = ErrorKind::io, .message = "no", .place = {}};
  });
  EXPECT_EQ(failed.error().message, "no");
  EXPECT_EQ(buffers.idle(), 1u);
}

TEST(read_buffers, do_not_keep_what_is_large) {
  ReadBuffers buffers;
  filled(buffers, ReadBuffers::kMaxKept + 1, 'a').value();
  EXPECT_EQ(buffers.idle(), 0u);
}

}  // namespace
}  // namespace penstock::inline v0
