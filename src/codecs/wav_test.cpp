#include "codecs/wav.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "codecs/material_for_test.hpp"
#include "codecs/test_recordings.hpp"
#include "core/json_for_test.hpp"
#include "core/sha256.hpp"

namespace penstock::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::int16_t> kSamples = {0, 1, -1, 32767, -32768, 12345, -7, 100};
const AudioBytes kData = [] {
  AudioBytes bytes(kSamples.size() * 2);
  std::memcpy(bytes.data(), kSamples.data(), bytes.size());
  return bytes;
}();
const AudioBytes kFormat = wav_format({});

std::vector<float> expected_floats() {
  std::vector<float> values;
  for (const std::int16_t sample : kSamples) {
    values.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return values;
}

Error error_of(const AudioBytes& file) {
  AudioDecoder decoder;
  const auto info = decoder.open(file);
  EXPECT_FALSE(info.ok());
  return info ? Error{} : info.error();
}

void append(AudioBytes& to, const AudioBytes& more) { to.insert(to.end(), more.begin(), more.end()); }

const AudioMaterial kWavMaterial("WAV", [](const AudioMaterial::Recording& recording) {
  return wav_of(recording.samples, recording.channels, recording.rate);
});

TEST(Wav, reads_samples_whatever_chunks_surround_them) {
  const AudioBytes list = wav_chunk("LIST", {'I', 'N', 'F', 'O', 'x'});
  const AudioBytes data = wav_chunk("data", kData);
  AudioBytes with_trailer = wav_file({kFormat, data});
  append(with_trailer, AudioBytes(131, 'T'));
  for (const AudioBytes& file :
       {wav_file({kFormat, data}), wav_file({list, kFormat, list, list, data}),
        wav_file({kFormat, data, list}), wav_file({kFormat, kFormat, data}), with_trailer}) {
    EXPECT_EQ(decode_all(file), expected_floats());
  }
}

TEST(Wav, slices_equal_the_whole) {
  std::mt19937 random(3);
  for (const std::uint16_t channels : {1, 2, 5}) {
    std::vector<std::int16_t> samples(static_cast<std::size_t>(channels) * 3000);
    for (auto& sample : samples) {
      sample = static_cast<std::int16_t>(random());
    }
    const AudioBytes file = wav_of(samples, channels);
    const std::vector<float> whole = decode_all(file);
    ASSERT_EQ(whole.size(), samples.size());
    AudioDecoder decoder;
    ASSERT_TRUE(decoder.open(file));
    for (int round = 0; round < 50; ++round) {
      const std::uint64_t start = random() % 3001;
      const std::uint64_t count = random() % (3001 - start);
      std::vector<float> part((count + 1) * channels, 7.0F);
      ASSERT_TRUE(decoder.decode(start, count, part.data(), count + 1));
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::uint64_t i = 0; i < count; ++i) {
          ASSERT_EQ(part[c * (count + 1) + i], whole[c * 3000 + start + i]);
        }
        ASSERT_EQ(part[c * (count + 1) + count], 7.0F);
      }
    }
    EXPECT_FALSE(decoder.decode(3000, 1, nullptr, 1).ok());
    EXPECT_FALSE(decoder.decode(~std::uint64_t{0}, 2, nullptr, 1).ok());
  }
}

TEST(Wav, placeholder_sizes_mean_everything_up_to_the_end) {
  for (const std::uint32_t size : {0U, 0x7FFFF000U, 0x7FFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU - 36}) {
    const AudioBytes file = wav_file({kFormat, wav_chunk("data", kData, size)});
    AudioDecoder decoder;
    const auto info = decoder.open(file);
    ASSERT_TRUE(info) << size;
    EXPECT_TRUE(info->repaired);
    EXPECT_EQ(decode_all(file), expected_floats());
  }
  // Another chunk follows: the recording is empty indeed.
  AudioDecoder decoder;
  const AudioBytes empty =
      wav_file({kFormat, wav_chunk("data", {}), wav_chunk("LIST", {'I', 'N', 'F', 'O'})});
  const auto info = decoder.open(empty);
  ASSERT_TRUE(info);
  EXPECT_EQ(*info, (AudioInfo{.frames = 0, .channels = 1, .rate = 8000, .repaired = false}));
}

TEST(Wav, every_truncation_point_is_an_error) {
  const AudioBytes list = wav_chunk("LIST", {'I', 'N', 'F', 'O', 'x'});
  const AudioBytes file = wav_file({kFormat, list, wav_chunk("data", kData)});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const AudioBytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    AudioDecoder decoder;
    const auto info = decoder.open(cut);
    ASSERT_FALSE(info) << size;
    EXPECT_EQ(info.error().kind, ErrorKind::corrupt) << info.error().to_string();
  }
}

TEST(Wav, an_incomplete_frame_is_dropped) {
  AudioBytes data = kData;
  data.push_back(99);
  EXPECT_EQ(decode_all(wav_file({kFormat, wav_chunk("data", data)})), expected_floats());
}

TEST(Wav, rf64_takes_its_sizes_from_ds64) {
  for (const char* id : {"RF64", "BW64"}) {
    AudioBytes ds64(28);
    ds64[8] = static_cast<std::uint8_t>(kData.size());
    AudioBytes trailing = {1, 2, 3, 4};
    const AudioBytes file = wav_file(
        {wav_chunk("ds64", ds64), kFormat, wav_chunk("data", kData, 0xFFFFFFFF), wav_chunk("LIST", trailing)},
        id);
    EXPECT_EQ(decode_all(file), expected_floats());
    // More than the file has is no placeholder here.
    ds64[12] = 1;
    EXPECT_THAT(
        error_of(wav_file({wav_chunk("ds64", ds64), kFormat, wav_chunk("data", kData, 0xFFFFFFFF)}, id))
            .message,
        HasSubstr("truncated: it has 16 of 4294967312 bytes"));
    EXPECT_THAT(error_of(wav_file({kFormat, wav_chunk("data", kData)}, id)).message, HasSubstr("ds64"));
  }
  // A table that is longer than its chunk.
  AudioBytes ds64(28);
  ds64[24] = 1;
  EXPECT_EQ(error_of(wav_file({wav_chunk("ds64", ds64), kFormat}, "RF64")).kind, ErrorKind::corrupt);
}

TEST(Wav, big_endian_files_have_the_samples_of_little_endian_ones) {
  const AudioBytes plain = {'R', 'I', 'F',  'X',  0, 0, 0,    48,   'W',  'A', 'V',  'E',
                            'f', 'm', 't',  ' ',  0, 0, 0,    16,   0,    1,   0,    1,
                            0,   0,   0x1F, 0x40, 0, 0, 0x3E, 0x80, 0,    2,   0,    16,
                            'd', 'a', 't',  'a',  0, 0, 0,    4,    0x40, 0,   0xC0, 0};
  EXPECT_EQ(decode_all(plain), (std::vector<float>{0.5F, -0.5F}));
  // The extensible format: the tag is the last of the first four bytes.
  AudioBytes extensible = {'R', 'I', 'F',  'X',  0,    0, 0,    72,   'W',  'A',  'V',  'E',
                           'f', 'm', 't',  ' ',  0,    0, 0,    40,   0xFF, 0xFE, 0,    1,
                           0,   0,   0x1F, 0x40, 0,    0, 0x3E, 0x80, 0,    2,    0,    16,
                           0,   22,  0,    16,   0,    0, 0,    0,    0,    0,    0,    1,
                           0,   0,   0,    16,   0x80, 0, 0,    0xAA, 0,    0x38, 0x9B, 0x71};
  extensible.insert(extensible.end(), {'d', 'a', 't', 'a', 0, 0, 0, 4, 0x40, 0, 0xC0, 0});
  EXPECT_EQ(decode_all(extensible), (std::vector<float>{0.5F, -0.5F}));
  extensible[63 - 4] = 0x11;
  EXPECT_TRUE(decode_all(extensible).empty());
}

TEST(Wav, what_cannot_be_read_says_why) {
  const AudioBytes data = wav_chunk("data", kData);
  const auto message = [&](const WavHeader& header) {
    return error_of(wav_file({wav_format(header), data})).to_string();
  };
  EXPECT_THAT(message({.channels = 0}), HasSubstr("0 channels"));
  EXPECT_THAT(message({.channels = 2000}), HasSubstr("2000 channels"));
  EXPECT_THAT(message({.rate = 0}), HasSubstr("0 Hz"));
  EXPECT_THAT(message({.rate = 0xFFFFFFFF}), HasSubstr("4294967295 Hz"));
  EXPECT_THAT(message({.bits = 0}), HasSubstr("0-bit"));
  EXPECT_THAT(message({.bits = 64}), HasSubstr("64-bit"));
  EXPECT_THAT(message({.tag = 3, .bits = 16}), HasSubstr("16-bit floats"));
  EXPECT_THAT(message({.tag = 2}), HasSubstr("MS ADPCM inside (format tag 0x0002)"));
  EXPECT_THAT(message({.tag = 0x1234}), HasSubstr("0x1234"));
  EXPECT_THAT(error_of(wav_file({data, kFormat})).message, HasSubstr("before its format"));
  EXPECT_THAT(error_of(wav_file({kFormat, wav_format({.rate = 16000}), data})).message, HasSubstr("differ"));
  EXPECT_THAT(error_of(wav_file({kFormat})).message, HasSubstr("ends before its samples"));
  EXPECT_THAT(error_of({}).message, HasSubstr("empty"));
  EXPECT_THAT(error_of({1, 2, 3}).message, HasSubstr("01 02 03"));
}

TEST(Wav, a_file_of_empty_chunks_ends) {
  AudioBytes chunks;
  for (int i = 0; i < 20'000; ++i) {
    append(chunks, wav_chunk("JUNK", {}));
  }
  append(chunks, kFormat);
  const Error error = error_of(wav_file({chunks}));
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_THAT(error.to_string(), HasSubstr("more than 10000 chunks before its samples (up to byte 80012)"));
  EXPECT_THAT(error.to_string(), HasSubstr("rewrite it"));
}

TEST(Wav, extensible_formats_are_told_apart_by_all_of_their_name) {
  constexpr std::array<std::uint8_t, 14> kAmbisonic = {0,    0,    0x21, 0x07, 0xD3, 0x11, 0x86,
                                                       0x44, 0xC8, 0xC1, 0xCA, 0,    0,    0};
  AudioBytes format = wav_format({.extensible = true});
  EXPECT_EQ(decode_all(wav_file({format, wav_chunk("data", kData)})), expected_floats());
  std::copy(kAmbisonic.begin(), kAmbisonic.end(), format.end() - kAmbisonic.size());
  EXPECT_EQ(decode_all(wav_file({format, wav_chunk("data", kData)})), expected_floats());
  format.back() = 1;
  const Error error = error_of(wav_file({format, wav_chunk("data", kData)}));
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_THAT(error.message, HasSubstr("unknown codec"));
}

TEST(Wav, changed_headers_never_lead_out_of_the_file) {
  // The end of the vector is the end of the file: a sanitizer sees any read beyond it.
  std::mt19937 random(11);
  const AudioBytes good =
      wav_file({wav_format({.channels = 2, .extensible = true}), wav_chunk("data", kData)});
  AudioDecoder decoder;
  std::vector<float> out;
  for (int round = 0; round < 20'000; ++round) {
    AudioBytes file = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      file[random() % (file.size() - kData.size())] = static_cast<std::uint8_t>(random());
    }
    const auto info = decoder.open(file);
    if (!info) {
      ASSERT_FALSE(info.error().message.empty());
      continue;
    }
    const std::uint64_t samples = info->frames * static_cast<std::uint64_t>(info->channels);
    ASSERT_LE(samples, file.size());
    out.resize(samples);
    ASSERT_TRUE(decoder.decode(0, info->frames, out.data(), info->frames));
  }
}

TEST(Wav, files_of_other_writers_equal_libsndfile) {
  const std::string folder = PENSTOCK_SHARED_DIR "/fixtures/wav";
  if (!std::filesystem::exists(folder + "/expected.json")) {
    GTEST_SKIP() << folder << " is not there: files of real writers are not compared";
  }
  const auto contents = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const JsonForTest expected = JsonForTest::parse(contents(folder + "/expected.json"));
  ASSERT_GT(expected["files"].items.size(), 30U);
  for (const JsonForTest& entry : expected["files"].items) {
    SCOPED_TRACE(entry["file"].text);
    const std::string file = contents(folder + "/" + entry["file"].text);
    const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    AudioDecoder decoder;
    const auto info = decoder.open(bytes);
    ASSERT_TRUE(info) << info.error().to_string();
    EXPECT_EQ(info->rate, entry["rate"].number);
    ASSERT_EQ(info->channels, entry["channels"].number);
    ASSERT_EQ(static_cast<double>(info->frames), entry["frames"].number);
    EXPECT_EQ(info->repaired, entry.find("repaired") != nullptr);
    const std::vector<float> planes = decode_all(bytes);
    const auto channels = static_cast<std::size_t>(info->channels);
    std::vector<float> frames(planes.size());
    for (std::size_t i = 0; i < planes.size(); ++i) {
      frames[i] = planes[i % channels * info->frames + i / channels];
    }
    const ByteSpan floats(reinterpret_cast<const std::uint8_t*>(frames.data()), frames.size() * 4);
    EXPECT_EQ(to_hex(Sha256().update(floats).finish()), entry["float32_sha256"].text);
  }
}

}  // namespace
}  // namespace penstock::test
