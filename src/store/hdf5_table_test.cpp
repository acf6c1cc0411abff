// The HDF5 files of `penstock audio build` as a source. Here, because what writes them comes after formats.
#include "formats/hdf5_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <random>

#include "formats/hdf5_objects.hpp"
#include "io/mapping_guard.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "penstock/store.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class hdf5_table : public testing::Test {
 protected:
  void SetUp() override {
    if (audio_file_attribute("/nowhere", "build").error().kind == ErrorKind::unsupported) {
      GTEST_SKIP() << "built without HDF5, so nothing writes the files";
    }
  }

  static AudioFileContents contents(std::size_t rows) {
    AudioFileContents contents;
    contents.waveform = {2, 1, 5};
    contents.mel = {2, 1, 3, 1};
    contents.label_names = {"cat", "dog"};
    for (std::size_t i = 0; i < rows; ++i) {
      contents.keys.push_back("audio " + std::string(i % 3, 'x') + std::to_string(i));
      contents.labels.push_back(static_cast<std::int32_t>(i % 2));
      contents.splits.push_back(static_cast<std::uint8_t>(i % 3 == 0));
    }
    contents.split_names = {"train", "test"};
    contents.attributes = {{"sample_rate", std::int64_t{4096}}};
    return contents;
  }

  /// Byte i of the rows of both data sets is i * 7.
  std::string write(const AudioFileContents& contents) {
    const std::string path = folder_ / "recordings.h5";
    const AudioFilePlaces places = create_audio_file(path, contents).value();
    std::string bytes = read_text(path);
    bytes.resize(std::max(bytes.size(), places.waveform + contents.rows() * contents.waveform_bytes()));
    for (const auto& [place, size] : {std::pair(places.waveform, contents.waveform_bytes()),
                                      std::pair(places.mel, contents.mel_bytes())}) {
      for (std::uint64_t i = 0; i < contents.rows() * size; ++i) {
        bytes[place + i] = static_cast<char>(i * 7);
      }
    }
    return folder_.write("recordings.h5", bytes);
  }

  /// Every value of every sample, as users of the table would have it read.
  static void read_all(const SampleTable& table) {
    for (std::uint64_t sample = 0; sample < table.size(); ++sample) {
      for (std::size_t field = 0; field < table.fields().size(); ++field) {
        const auto value = table.read(sample, field);
        unsigned sum = static_cast<unsigned>(table.key(sample).size());
        for (const std::uint8_t byte : value.ok() ? value->bytes : Bytes()) {
          sum += byte;
        }
        testing::Test::RecordProperty("sum", static_cast<int>(sum));  // so that the bytes are touched
      }
    }
    EXPECT_EQ(table.fingerprint().size(), 32u);
  }

  TemporaryFolder folder_;
};

TEST_F(hdf5_table, gives_the_rows_as_they_lie_in_the_file) {
  constexpr std::size_t kRows = 9000;  // several chunks of keys and labels
  const auto table = open_samples({write(contents(kRows))}, {});
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  ASSERT_EQ((*table)->size(), kRows);
  EXPECT_THAT((*table)->classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT((*table)->fields(),
              ElementsAre(FieldInfo{"waveform", FieldKind::array}, FieldInfo{"mel", FieldKind::array},
                          FieldInfo{"label", FieldKind::integer}, FieldInfo{"split", FieldKind::text}));
  EXPECT_EQ((*table)->spec(0).array, (ArraySpec{.type = Scalar::float32, .shape = {2, 1, 5}}));
  EXPECT_EQ((*table)->spec(1).array, (ArraySpec{.type = Scalar::float16, .shape = {2, 1, 3, 1}}));
  for (const std::uint64_t row : {0UL, 1UL, 4095UL, 4096UL, 8999UL}) {
    EXPECT_EQ((*table)->key(row), "audio " + std::string(row % 3, 'x') + std::to_string(row));
    const ByteSpan wave = (*table)->read(row, 0)->bytes;
    ASSERT_EQ(wave.size(), 40u);
    EXPECT_EQ(wave[3], static_cast<std::uint8_t>((row * 40 + 3) * 7));
    const ByteSpan mel = (*table)->read(row, 1)->bytes;
    ASSERT_EQ(mel.size(), 12u);
    EXPECT_EQ(mel[11], static_cast<std::uint8_t>((row * 12 + 11) * 7));
    EXPECT_EQ((*table)->read(row, 2)->number, Number(static_cast<std::int64_t>(row % 2)));
    const ByteSpan split = (*table)->read(row, 3)->bytes;
    EXPECT_EQ(std::string(split.begin(), split.end()), row % 3 == 0 ? "test" : "train");
  }
  EXPECT_EQ((*table)->read(kRows, 0).error().kind, ErrorKind::invalid);
}

TEST_F(hdf5_table, its_identity_is_that_of_the_file) {
  const std::string path = write(contents(7));
  const auto identity = [&path] { return open_hdf5_table({path, path}, {}).value()->identity(); };
  const std::string before = identity();
  EXPECT_EQ(identity(), before);
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now());
  EXPECT_NE(identity(), before);
}

TEST_F(hdf5_table, chooses_and_renames_fields) {
  const std::string path = write(contents(3));
  const auto table = open_samples({path}, {{{"x", "mel"}, {"y", "label"}}});
  ASSERT_TRUE(table.ok());
  EXPECT_THAT((*table)->fields(),
              ElementsAre(FieldInfo{"x", FieldKind::array}, FieldInfo{"y", FieldKind::integer}));
  EXPECT_NE((*table)->fingerprint(), (*open_samples({path}, {}))->fingerprint());
  const auto missing = open_samples({path}, {{{"x", "jpg"}}});
  EXPECT_EQ(missing.error().kind, ErrorKind::invalid);
  EXPECT_THAT(missing.error().to_string(), HasSubstr("waveform, mel, label, split"));
}

TEST_F(hdf5_table, a_label_without_a_name_is_corrupt_with_its_place) {
  AudioFileContents wrong = contents(3);
  wrong.labels[1] = 2;
  const auto table = open_samples({write(wrong)}, {});
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE((*table)->read(0, 2).ok());
  const auto label = (*table)->read(1, 2);
  ASSERT_FALSE(label.ok());
  EXPECT_EQ(label.error().kind, ErrorKind::corrupt);
  EXPECT_EQ(label.error().place.index, 1u);
  EXPECT_TRUE(label.error().place.offset.has_value());
}

TEST_F(hdf5_table, every_cut_file_is_corrupt) {
  const std::string bytes = read_text(write(contents(3)));
  for (std::size_t size = 8; size < bytes.size(); size += size < 512 ? 1 : 97) {
    const auto table = open_samples({folder_.write("cut.h5", bytes.substr(0, size))}, {});
    ASSERT_FALSE(table.ok()) << size;
    EXPECT_EQ(table.error().kind, ErrorKind::corrupt) << table.error().to_string();
    EXPECT_EQ(table.error().place.shard, folder_ / "cut.h5");
  }
}

TEST_F(hdf5_table, changed_bytes_end_in_an_error_or_in_other_values) {
  const std::string bytes = read_text(write(contents(3)));
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 500; ++i) {
    std::string changed = bytes;
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      changed[random() % changed.size()] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
    }
    const auto table = open_samples({folder_.write("changed.h5", changed)}, {});
    if (table.ok()) {
      read_all(**table);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);  // the checksums of what describes the rows
}

TEST_F(hdf5_table, a_file_that_becomes_shorter_is_noticed) {
  const std::string path = write(contents(2000));
  const auto table = open_samples({path}, {});
  ASSERT_TRUE(table.ok());
  std::filesystem::resize_file(path, 4096);
  const auto value = (*table)->read(1999, 0);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->bytes[39], 0);
  EXPECT_EQ(value->intact().error().kind, ErrorKind::io);
}

TEST_F(hdf5_table, is_opened_by_itself) {
  const std::string path = write(contents(3));
  EXPECT_EQ(open_samples({path, path}, {}).error().kind, ErrorKind::unsupported);
}

TEST_F(hdf5_table, a_store_of_it_has_its_arrays) {
  const std::string path = write(contents(3));
  const auto file = open_samples({path}, {});
  ASSERT_TRUE(build_store({path}, folder_ / "store", {}).ok());
  const auto store = open_samples({folder_ / "store"}, {});
  ASSERT_TRUE(store.ok()) << store.error().to_string();
  EXPECT_EQ((*store)->fingerprint(), (*file)->fingerprint());
  EXPECT_EQ(arrays_of(**store), arrays_of(**file));
  for (std::uint64_t row = 0; row < 3; ++row) {
    for (const std::size_t field : {0, 1}) {
      const ByteSpan theirs = (*file)->read(row, field)->bytes;
      const ByteSpan ours = (*store)->read(row, field)->bytes;
      EXPECT_TRUE(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
    }
  }

  BuildSettings append;
  append.append = true;
  AudioFileContents longer = contents(2);
  longer.mel = {2, 1, 4, 1};
  const auto refused = build_store({write(longer)}, folder_ / "store", append);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().to_string(), HasSubstr("different fields"));
  const auto appended = build_store({write(contents(2))}, folder_ / "store", append);
  ASSERT_TRUE(appended.ok()) << appended.error().to_string();
  EXPECT_EQ(appended->samples, 5u);
}

}  // namespace
}  // namespace penstock::inline v0
