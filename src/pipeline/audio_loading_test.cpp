#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "codecs/test_recordings.hpp"
#include "penstock/audio_transform.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Sample i: a recording of 600 + 50 i frames that begins with the value i, and label i.
class AudioTable final : public MemoryTable {
 public:
  explicit AudioTable(std::uint64_t size) : MemoryTable(size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      std::vector<std::int16_t> samples(600 + 50 * i, static_cast<std::int16_t>(100 + i));
      samples[0] = static_cast<std::int16_t>(i);
      files.push_back(test::wav_of(samples));
    }
  }

  std::vector<std::vector<std::uint8_t>> files;

  const std::vector<FieldInfo>& fields() const noexcept override { return fields_; }
  Result<StoredValue> read(std::uint64_t sample, std::size_t field) const override {
    if (field == 1) {
      return StoredValue{.bytes = {}, .number = static_cast<std::int64_t>(sample)};
    }
    return StoredValue{.bytes = files[sample]};
  }
  std::uint64_t stored_size(std::uint64_t sample, std::size_t) const override { return files[sample].size(); }

 private:
  std::vector<FieldInfo> fields_ = {{"audio", FieldKind::audio}, {"label", FieldKind::integer}};
};

LoaderOptions two_workers(int workers = 2) {
  return {.batch_size = 4, .shuffle = true, .seed = 5, .num_workers = workers, .prefetch = 2};
}

FieldTransforms augmentation_of_recordings() {
  return {{"audio",
           {transforms::RandomTimeCrop{.frames = 620}, transforms::RandomGain{}, transforms::AddNoise{},
            transforms::MelSpectrogram{.n_fft = 128, .n_mels = 8}, transforms::TimeMasking{.width = 2}}}};
}

std::vector<std::string> epoch_contents(Loader& loader) {
  std::vector<std::string> all;
  for (const Batch& batch : take_epoch(loader)) {
    all.push_back(contents(batch));
  }
  return all;
}

float first_value(const Column& column, std::size_t row) {
  float value = 0;
  std::memcpy(&value, column.bytes_of(row).data(), sizeof(value));
  return value;
}

TEST(AudioLoading, rows_keep_their_length_and_their_label) {
  Loader loader = open_loader(std::make_shared<AudioTable>(10), two_workers());
  std::set<std::int64_t> seen;
  for (const Batch& batch : take_epoch(loader)) {
    const Column& column = *batch.find("audio");
    EXPECT_EQ(column.spec.to_string(), "float32 (1, any)");
    EXPECT_EQ(column.rate, 8000);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const std::int64_t sample = batch.index()[row];
      EXPECT_EQ(column.rows[row].shape, (Extents{1, 600 + 50 * static_cast<std::size_t>(sample)}));
      EXPECT_EQ(column.lengths[row], 600 + 50 * sample);
      EXPECT_EQ(first_value(column, row), static_cast<float>(sample) / 32768.0F);
      EXPECT_EQ(batch.find("label")->integers()[row], sample);
      seen.insert(sample);
    }
  }
  EXPECT_EQ(seen.size(), 10U);
}

TEST(AudioLoading, random_operations_do_not_depend_on_workers) {
  Loader one = open_loader(std::make_shared<AudioTable>(12), two_workers(1), augmentation_of_recordings());
  Loader four = open_loader(std::make_shared<AudioTable>(12), two_workers(4), augmentation_of_recordings());
  const auto first = epoch_contents(one);
  EXPECT_EQ(first, epoch_contents(four));
  EXPECT_NE(first, epoch_contents(one)) << "another epoch";
}

TEST(AudioLoading, bad_recordings_are_left_out_and_the_others_stay_whole) {
  auto table = std::make_shared<AudioTable>(8);
  table->files[2].resize(100);
  table->files[5] = test::wav_of({1, 2, 3, 4}, 2);
  for (const bool fixed : {false, true}) {
    LoaderOptions options = two_workers();
    options.shuffle = false;
    options.on_error = OnError::skip;
    Loader loader = open_loader(
        table, options,
        fixed ? FieldTransforms{{"audio", {transforms::PadTime{.frames = 700}}}} : FieldTransforms{});
    std::vector<std::int64_t> kept;
    for (const Batch& batch : take_epoch(loader)) {
      const Column& column = *batch.find("audio");
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        const std::int64_t sample = batch.index()[row];
        kept.push_back(sample);
        EXPECT_EQ(column.ragged(), !fixed);
        EXPECT_EQ(first_value(column, row), static_cast<float>(sample) / 32768.0F);
        EXPECT_EQ(column.lengths[row],
                  fixed ? std::min<std::int64_t>(700, 600 + 50 * sample) : 600 + 50 * sample);
      }
    }
    EXPECT_THAT(kept, ::testing::ElementsAre(0, 1, 3, 4, 6, 7));
    ASSERT_EQ(loader.errors().size(), 2U);
    EXPECT_EQ(loader.errors()[0].kind, ErrorKind::corrupt);
    EXPECT_THAT(loader.errors()[1].to_string(), AllOf(HasSubstr("2 channels"), HasSubstr("ToMono")));
  }
}

TEST(AudioLoading, a_set_whose_recordings_cannot_be_read_is_refused_with_the_first_error) {
  auto table = std::make_shared<AudioTable>(3);
  for (auto& file : table->files) {
    file.resize(20);
  }
  const auto loader = Loader::open(Dataset::of(table, "memory"), FieldTransforms{}, two_workers());
  ASSERT_FALSE(loader.ok());
  EXPECT_EQ(loader.error().kind, ErrorKind::corrupt);
}

}  // namespace
}  // namespace penstock::inline v0
