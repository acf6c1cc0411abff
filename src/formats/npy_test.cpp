#include "formats/npy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint8_t> npy_file(const std::string& header, std::size_t bytes, char version = 1) {
  std::string text = "\x93NUMPY";
  text += {version, 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    text += static_cast<char>(header.size() >> (8 * i));
  }
  text += header;
  std::vector<std::uint8_t> file(text.begin(), text.end());
  for (std::size_t i = 0; i < bytes; ++i) {
    file.push_back(static_cast<std::uint8_t>(i));
  }
  return file;
}

std::string header_text(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}   \n", descr, fortran, shape);
}

Result<NpyHeader> header_of(const std::vector<std::uint8_t>& file) {
  return read_npy_header(file, file.size());
}

TEST(npy, reads_headers_of_all_versions) {
  for (const char version : {1, 2, 3}) {
    const auto header = header_of(npy_file(header_text("'<f4'", "(2, 3)"), 24, version));
    ASSERT_TRUE(header.ok()) << header.error().to_string();
    EXPECT_EQ(header->array, (ArraySpec{.type = Scalar::float32, .shape = {2, 3}}));
    EXPECT_FALSE(header->fortran);
  }
  const auto scalar = header_of(npy_file(header_text("'|b1'", "()"), 1));
  EXPECT_EQ(scalar->array, (ArraySpec{.type = Scalar::boolean, .shape = {}}));
  const auto empty = header_of(npy_file(header_text("'<i8'", "(0, 5)"), 0));
  EXPECT_EQ(empty->array, (ArraySpec{.type = Scalar::int64, .shape = {0, 5}}));
  const auto other_order =
      header_of(npy_file("{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\"|u1\"}", 3));
  ASSERT_TRUE(other_order.ok()) << other_order.error().to_string();
  EXPECT_THAT(other_order->array.shape, ElementsAre(3u));
}

TEST(npy, refuses_what_batches_do_not_have_by_name) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"'|O'", "Python objects"},
                                                                  {"'>f4'", "big-endian"},
                                                                  {"'<c8'", "<c8"},
                                                                  {"'<U7'", "<U7"},
                                                                  {"[('a', '<f4')]", "structures"}};
  for (const auto& [descr, words] : cases) {
    const auto header = header_of(npy_file(header_text(descr, "(1,)"), 8));
    ASSERT_FALSE(header.ok()) << descr;
    EXPECT_EQ(header.error().kind, ErrorKind::unsupported) << descr;
    EXPECT_THAT(header.error().message, HasSubstr(words));
  }
  EXPECT_TRUE(header_of(npy_file(header_text("'>i1'", "(1,)"), 1)).ok()) << "one byte has no order";
  EXPECT_EQ(header_of(npy_file(header_text("'<f4'", "(1,)"), 4, 4)).error().kind, ErrorKind::unsupported);
}

TEST(npy, survives_hostile_headers) {
  const std::string huge = fmt::format("({0}, {0}, {0}, {0})", std::uint64_t{1} << 40);
  for (const std::string& header :
       {header_text("'<f4'", "(2, 3"), header_text("'<f4'", huge), header_text("'<f4'", "(-1,)"),
        header_text("'<f4'", "(18446744073709551615,)"), header_text("'<f4'", "(1,,)"), std::string("{"),
        std::string("{'descr': '<f4'}"), std::string("{'descr': '<f4"), std::string(), std::string("{}"),
        header_text("'<f4'", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), header_text("'<f4'", "(2,)", "Maybe")}) {
    EXPECT_FALSE(header_of(npy_file(header, 8)).ok()) << header;
  }
  auto file = npy_file(header_text("'<f4'", "(2,)"), 8);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(read_npy_header(ByteSpan(file).first(size), size).ok()) << size;
  }
  EXPECT_EQ(header_of(npy_file(header_text("'<f4'", "(2,)"), 9)).error().kind, ErrorKind::corrupt);
  const auto long_header = header_of(npy_file(std::string(kMaxNpyHeader + 1, ' '), 8, 2));
  EXPECT_EQ(long_header.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(long_header.error().message, HasSubstr("65536 bytes"));
}

TEST(npy, is_copied_in_c_order) {
  for (const char* const fortran : {"False", "True"}) {
    const auto file = npy_file(header_text("'<u2'", "(2, 3, 2)", fortran), 24);
    const NpyHeader header = header_of(file).value();
    std::vector<std::uint16_t> out(12);
    copy_npy(header, file, reinterpret_cast<std::uint8_t*>(out.data()));
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 2; ++k) {
          const std::size_t number = header.fortran ? i + 2 * (j + 3 * k) : k + 2 * (j + 3 * i);
          EXPECT_EQ(out[(i * 3 + j) * 2 + k], (2 * number) | ((2 * number + 1) << 8));
        }
      }
    }
  }
}

}  // namespace
}  // namespace penstock::inline v0
