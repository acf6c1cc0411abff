// A build without the libraries for audio. This program has the files of such a build in the place of those
// in the library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/read_audio.hpp"
#include "audio/resample.hpp"
#include "codecs/test_recordings.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(AudioAbsent, compressed_files_say_how_to_read_them) {
  AudioReader reader;
  const std::uint8_t flac[] = {'f', 'L', 'a', 'C', 0, 0, 0, 34};
  const auto clip = reader.open(flac, {});
  ASSERT_FALSE(clip);
  EXPECT_EQ(clip.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(clip.error().to_string(), AllOf(HasSubstr("libsndfile1-dev"), HasSubstr("PENSTOCK_AUDIO=ON")));
}

TEST(AudioAbsent, wav_is_read_and_only_resampling_is_refused) {
  const auto wav = test::wav_of({16384});
  AudioReader reader;
  const auto clip = reader.open(wav, {});
  ASSERT_TRUE(clip) << clip.error().to_string();
  float sample = 0;
  ASSERT_TRUE(reader.read(&sample, 1));
  EXPECT_EQ(sample, 0.5F);
  const auto resampled = reader.open(wav, {.sample_rate = 16000});
  ASSERT_FALSE(resampled);
  EXPECT_EQ(resampled.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(resampled.error().to_string(), AllOf(HasSubstr("libsoxr-dev"), HasSubstr("PENSTOCK_AUDIO=ON")));
}

TEST(AudioAbsent, hdf5_says_how_to_get_it) {
  const auto places = create_audio_file("/nowhere/x.h5", {});
  ASSERT_FALSE(places);
  EXPECT_EQ(places.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(places.error().to_string(), AllOf(HasSubstr("libhdf5-dev"), HasSubstr("PENSTOCK_AUDIO=ON")));
  EXPECT_EQ(shorten_audio_file("/nowhere/x.h5", {}).error().kind, ErrorKind::unsupported);
  EXPECT_EQ(audio_file_attribute("/nowhere/x.h5", "build").error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace penstock::inline v0
