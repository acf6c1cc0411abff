// Repacked images of damaged and hostile files, and damaged records.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "codecs/repacked.hpp"
#include "codecs/repacked/packed_header.hpp"
#include "codecs/test_repacked.hpp"
#include "core/each_target_for_test.hpp"

namespace penstock::test {
namespace {

using ::testing::HasSubstr;

TEST(Repacked, mutated_files_of_several_scans_keep_the_pixels_they_have) {
  RepackEncoder encoder(drawn_tables());
  int packed = 0;
  for (const JpegCoding coding : {JpegCoding::progressive, JpegCoding::one_scan_per_component}) {
    const auto file = make_jpeg({.width = 83, .height = 61, .coding = coding});
    for_each_mutation(*file, 300, [&](const Bytes& damaged) {
      Bytes record;
      ImageDecoder reference;
      if (!encoder.encode(damaged, RepackFidelity::pixels, record) && decode_whole(reference, damaged).ok()) {
        expect_same_pixels(damaged, record, 1, "mutated file");
        ++packed;
      }
    });
  }
  EXPECT_GT(packed, 20);
}

TEST(Repacked, a_damaged_file_is_kept) {
  const auto file = make_jpeg({.width = 83, .height = 61, .coding = JpegCoding::restarts});
  RepackEncoder encoder(drawn_tables());
  int kept = 0;
  for_each_mutation(*file, 300, [&](const Bytes& damaged) {
    Bytes record;
    if (encoder.encode(damaged, RepackFidelity::file, record)) {
      ++kept;
      return;
    }
    const auto rebuilt = rebuild_jpeg(record, *drawn_tables());
    ASSERT_TRUE(rebuilt.ok() && *rebuilt == damaged);
    ImageDecoder reference;
    if (decode_whole(reference, damaged).ok()) {
      expect_same_pixels(damaged, record, 1, "mutated file");
    }
  });
  EXPECT_GT(kept, 100);
}

TEST(Repacked, mutated_records_give_pixels_or_errors) {
  for (const Sampling& sampling : kRepackedSamplings) {
    const auto file = make_jpeg({.width = 100, .height = 140, .sampling = sampling, .quality = 95});
    const Repacked intact = repack(*file);
    ASSERT_EQ(intact.kept, "");
    RepackedDecoder decoder{{.max_pixels = 1u << 20}};
    decoder.use_tables(drawn_tables());
    int refused = 0;
    for_each_mutation(intact.record, 600, [&](const Bytes& record) {
      const auto rebuilt = rebuild_jpeg(record, *drawn_tables());
      const auto size = decoder.open(record);
      if (!size.ok()) {
        ++refused;
        return;
      }
      const auto pixels = decode_box(decoder, {0, 0, size->width, size->height}, 0);
      if (!pixels.ok()) {
        ++refused;
        EXPECT_EQ(pixels.error().kind, ErrorKind::corrupt);
        EXPECT_EQ(pixels.error().place.stage, "decode");
      }
    });
    EXPECT_GT(refused, 100);
  }
}

TEST(Repacked, a_record_cut_anywhere_is_corrupt) {
  const auto file = make_jpeg({.width = 60, .height = 50, .sampling = {{2, 2}}});
  const Repacked intact = repack(*file);
  ASSERT_EQ(intact.kept, "");
  RepackedDecoder decoder{DecodeLimits{}};
  decoder.use_tables(drawn_tables());
  for (std::size_t size = 0; size < intact.record.size(); ++size) {
    const Bytes cut(intact.record.begin(), intact.record.begin() + static_cast<std::ptrdiff_t>(size));
    const auto rebuilt = rebuild_jpeg(cut, *drawn_tables());
    ASSERT_FALSE(rebuilt.ok()) << size;
    EXPECT_EQ(rebuilt.error().kind, ErrorKind::corrupt) << size;
    if (decoder.open(cut).ok()) {
      (void)decode_box(decoder, {0, 0, 60, 50}, 0).ok();
    }
  }
}

TEST(Repacked, mutated_images_are_equal_on_every_cpu_target) {
  const auto file = make_jpeg({.width = 66, .height = 70, .sampling = {{2, 2}}, .quality = 97});
  const Bytes record = repack(*file, RepackFidelity::pixels).record;
  std::vector<Bytes> mutated;
  for_each_mutation(record, 300, [&](const Bytes& bytes) { mutated.push_back(bytes); });
  std::vector<Bytes> wanted(mutated.size());
  for_each_target([&](CpuTarget target) {
    for (std::size_t i = 0; i < mutated.size(); ++i) {
      RepackedDecoder decoder{{.max_pixels = 1u << 16}};
      decoder.use_tables(drawn_tables());
      const auto size = decoder.open(mutated[i]);
      Bytes pixels;
      if (size.ok()) {
        auto decoded = decode_box(decoder, {0, 0, size->width, size->height}, 0);
        pixels = decoded.ok() ? decoded->pixels : Bytes{1};
      }
      if (target == CpuTarget::scalar) {
        wanted[i] = pixels;
      }
      ASSERT_TRUE(pixels == wanted[i]) << i;
    }
  });
}

TEST(Repacked, sizes_beyond_the_limit_are_refused) {
  const auto file = make_jpeg({.width = 60, .height = 50});
  const Bytes record = repack(*file).record;
  RepackedDecoder decoder{{.max_pixels = 2999}};
  decoder.use_tables(drawn_tables());
  const auto size = decoder.open(record);
  ASSERT_FALSE(size.ok());
  EXPECT_EQ(size.error().kind, ErrorKind::unsupported);
}

/// A file with comments of zeros, which pack into nearly nothing.

Bytes with_comments(Bytes file, int comments) {
  constexpr std::size_t kSize = 65535;
  Bytes segment(2 + kSize, 0);
  std::copy_n(std::array<std::uint8_t, 4>{0xFF, 0xFE, 0xFF, 0xFF}.begin(), 4, segment.begin());
  for (int i = 0; i < comments; ++i) {
    file.insert(file.begin() + 2, segment.begin(), segment.end());
  }
  return file;
}

TEST(Repacked, a_header_that_becomes_much_smaller_is_not_packed) {
  const auto file = make_jpeg({.width = 60, .height = 50});
  const Bytes some = with_comments(*file, 3);
  const Repacked packed = repack(some);
  ASSERT_EQ(packed.kept, "");
  EXPECT_TRUE(rebuild_jpeg(packed.record, *drawn_tables()).value() == some);
  EXPECT_EQ(repack(with_comments(*file, 4)).kept, "large header");
  EXPECT_EQ(repack(with_comments(*file, 240)).kept, "large header") << "2 kB would unpack to 16 MB";
}

TEST(Repacked, headers_that_claim_much_are_refused_before_they_are_unpacked) {
  const auto refusal = [](std::size_t packed_size, std::size_t claimed) {
    Bytes packed(packed_size, 0);
    for (std::size_t i = 0; i < 4; ++i) {
      packed[i] = static_cast<std::uint8_t>(claimed >> 8 * i);
    }
    return detail::unpack_header(packed, {}, *drawn_tables()).error().message;
  };
  struct Claim {
    std::size_t packed;
    std::size_t most;
  };
  for (const auto& [packed, most] :
       {Claim{100, std::size_t{256} << 10}, Claim{std::size_t{32} << 10, std::size_t{512} << 10},
        Claim{std::size_t{2} << 20, std::size_t{16} << 20}}) {
    EXPECT_THAT(refusal(packed, most), HasSubstr("cannot be unpacked")) << packed;
    EXPECT_THAT(refusal(packed, most + 1), HasSubstr("is too large")) << packed;
  }
}

TEST(Repacked, files_of_too_many_pixels_are_kept_as_they_are) {
  const auto file = make_jpeg({.width = 60, .height = 50});
  const auto of_size = [&](std::size_t width, std::size_t height) {
    Bytes claimed = *file;
    constexpr std::array<std::uint8_t, 2> kFrame = {0xFF, 0xC0};
    const auto frame = std::search(claimed.begin(), claimed.end(), kFrame.begin(), kFrame.end());
    frame[5] = static_cast<std::uint8_t>(height >> 8);
    frame[6] = static_cast<std::uint8_t>(height);
    frame[7] = static_cast<std::uint8_t>(width >> 8);
    frame[8] = static_cast<std::uint8_t>(width);
    return claimed;
  };
  EXPECT_EQ(repack(of_size(1 << 13, (1 << 12) + 1)).kept, "too many pixels");
  EXPECT_NE(repack(of_size(1 << 13, 1 << 12)).kept, "too many pixels") << "2^25 of them are allowed";
}

}  // namespace
}  // namespace penstock::test
