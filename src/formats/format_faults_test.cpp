// Every format of the catalogue, by being listed there: read from memory and through a storage with faults.
// tests/conformance/formats has a data set of each; test_formats.py there has what needs a loader.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

#include "formats/fetched_for_test.hpp"
#include "formats/format.hpp"
#include "formats/tar_for_test.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kRows = 5;  // at least

/// All that a table gives: "key/field" and the value, or why there is none.
using Contents = std::map<std::string, std::variant<std::string, Error>>;

std::string number_text(const Number& number) {
  return std::visit([](auto value) { return fmt::format("number {}", value); }, number);
}

Contents contents_of(const SampleTable& table) {
  Contents contents;
  for (std::uint64_t sample = 0; sample < table.size(); ++sample) {
    for (std::size_t field = 0; field < table.fields().size(); ++field) {
      std::string read;
      Status used = use_value(table, sample, field, [&read](const StoredValue& value) -> Status {
        read = value.number ? number_text(*value.number) : std::string(as_text(value.bytes));
        return {};
      });
      const std::string name = fmt::format("{}/{}", sample, field);
      if (used.ok()) {
        contents.emplace(name, read);
      } else {
        contents.emplace(name, std::move(used).error());
      }
    }
  }
  return contents;
}

class every_format : public testing::TestWithParam<const Format*> {
 protected:
  void SetUp() override {
    namespace fs = std::filesystem;
    std::string name = GetParam()->name;
    std::replace(name.begin(), name.end(), ' ', '_');
    const fs::path folder = fs::path(PENSTOCK_SOURCE_DIR "/tests/conformance/formats") / name;
    ASSERT_TRUE(fs::is_directory(folder)) << "add a small data set of the format";
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        memory_->put(entry.path().string(), read_text(entry.path().string()));
      }
    }
    // The only file in it, or all of it.
    const std::vector<fs::path> entries(fs::directory_iterator(folder), fs::directory_iterator{});
    path_ = entries.size() == 1 ? entries[0].string() : folder.string();
    const auto table = open_samples({path_}, {});
    ASSERT_TRUE(table.ok()) << table.error().to_string();
    whole_ = contents_of(**table);
    ASSERT_GE(whole_.size(), kRows);
    for (const auto& [name, value] : whole_) {
      ASSERT_TRUE(std::holds_alternative<std::string>(value)) << name;
    }
  }

  /// From memory, with faults: no kept index comes between, and no path leads to a file.
  Result<std::unique_ptr<SampleTable>> open(const std::shared_ptr<const FaultyStorage>& storage) const {
    Storages storages = Storages::standard();
    storages.set("faulty", storage);
    return open_samples({"faulty:" + path_}, {}, storages);
  }
  std::shared_ptr<const FaultyStorage> with(std::vector<Fault> faults) const {
    return std::make_shared<FaultyStorage>(memory_, std::move(faults));
  }

  /// Values are right or errors are clear. Gives the number of errors.
  std::size_t expect_right_or_clear(const Fault& fault) const {
    const auto storage = with({fault});
    const auto table = open(storage);
    const auto expect_clear = [&](const Error& error) {
      EXPECT_TRUE(error.kind == ErrorKind::io || error.kind == ErrorKind::corrupt ||
                  error.kind == ErrorKind::timeout)
          << error.to_string();
      EXPECT_THAT(error.place.shard + error.place.source, testing::HasSubstr("conformance"))
          << error.to_string();
      EXPECT_FALSE(error.message.empty());
    };
    if (!table.ok()) {
      expect_clear(table.error());
      return 1;
    }
    std::size_t errors = 0;
    for (const auto& [name, value] : contents_of(**table)) {
      if (const auto* const error = std::get_if<Error>(&value)) {
        expect_clear(*error);
        ++errors;
      } else {
        const auto right = whole_.find(name);
        EXPECT_TRUE(right != whole_.end() &&
                    std::get<std::string>(right->second) == std::get<std::string>(value))
            << name << " is wrong, and nobody said so";
      }
    }
    return errors;
  }

  const WithoutIndexCache every_time_;
  std::shared_ptr<MemoryStorage> memory_ = std::make_shared<MemoryStorage>();
  std::string path_;
  Contents whole_;
};

TEST_P(every_format, is_read_from_another_storage_as_from_files) {
  const auto files = open_samples({path_}, {});
  const auto storage = with({});
  const auto table = open(storage);
  ASSERT_TRUE(table.ok()) << table.error().to_string();
  EXPECT_EQ((*table)->fields(), (*files)->fields());
  EXPECT_EQ((*table)->classes(), (*files)->classes());
  EXPECT_EQ((*table)->fingerprint(), (*files)->fingerprint());
  EXPECT_NE((*table)->identity(), (*files)->identity());
  EXPECT_EQ((*table)->shard_starts(), (*files)->shard_starts());
  for (std::uint64_t i = 0; i < (*table)->size(); ++i) {
    EXPECT_EQ((*table)->key(i), (*files)->key(i));
    EXPECT_EQ((*table)->place(i, 0).offset, (*files)->place(i, 0).offset);
  }
  const Contents read = contents_of(**table);
  ASSERT_EQ(read.size(), whole_.size());
  for (const auto& [name, value] : read) {
    ASSERT_TRUE(std::holds_alternative<std::string>(value)) << std::get<Error>(value).to_string();
    EXPECT_TRUE(std::get<std::string>(value) == std::get<std::string>(whole_.at(name))) << name;
  }
}

TEST_P(every_format, gives_what_is_right_or_says_what_is_wrong_when_reading_fails) {
  const auto clean = with({});
  contents_of(*open(clean).value());
  const std::uint64_t reads = clean->reads();
  using Kind = Fault::Kind;
  for (const Kind kind : {Kind::fail, Kind::shorten, Kind::vanish, Kind::replaced}) {
    std::size_t struck = 0;
    for (std::uint64_t after = 0; after < reads; after += std::max<std::uint64_t>(1, reads / 40)) {
      for (const std::uint64_t times : {std::uint64_t{1}, UINT64_MAX}) {
        SCOPED_TRACE(fmt::format("kind {}, from read {} on, {} times", static_cast<int>(kind), after, times));
        struck += expect_right_or_clear({.kind = kind, .after = after, .times = times, .length = 1});
        if (HasFailure()) {
          return;
        }
      }
    }
    EXPECT_GT(struck, 0u) << "no fault was noticed";
  }
}

TEST_P(every_format, waits_for_a_slow_storage) {
  EXPECT_EQ(expect_right_or_clear({.kind = Fault::Kind::delay, .delay = std::chrono::milliseconds(1)}), 0u);
}

TEST_P(every_format, keeps_bytes_alive_that_are_held) {
  std::vector<std::pair<Bytes, std::string>> held;
  {
    const auto table = open(with({})).value();
    for (std::size_t field = 0; field < table->fields().size(); ++field) {
      const StoredValue value = table->read(0, field).value();
      if (!value.number) {
        held.emplace_back(value.bytes.hold(), std::get<std::string>(whole_.at(fmt::format("0/{}", field))));
      }
    }
  }
  for (const auto& [bytes, text] : held) {
    EXPECT_TRUE(as_text(bytes) == text);
  }
}

TEST_P(every_format, hints_are_given_before_a_value_is_looked_at) {
  const auto storage = with({});
  const auto table = open(storage).value();
  contents_of(*table);  // what is opened at its first use is open then
  const std::uint64_t reads = storage->reads();
  for (std::uint64_t sample = 0; sample <= table->size(); ++sample) {
    std::vector<std::size_t> fields(table->fields().size() + 1);
    std::iota(fields.begin(), fields.end(), std::size_t{0});
    table->will_read(sample, fields);
  }
  EXPECT_EQ(storage->reads(), reads) << "a hint reads nothing";
}

TEST_P(every_format, locates_values_by_what_was_read_at_opening) {
  const auto storage = with({});
  const auto table = open(storage).value();
  const std::uint64_t reads = storage->reads();
  for (std::uint64_t sample = 0; sample < table->size(); ++sample) {
    for (std::size_t field = 0; field < table->fields().size(); ++field) {
      EXPECT_TRUE(table->locate(sample, field).ok());
    }
  }
  EXPECT_EQ(storage->reads(), reads) << "locating reads nothing";
  EXPECT_EQ(table->locate(table->size(), 0).error().kind, ErrorKind::invalid);
  EXPECT_EQ(table->locate(0, 99).error().kind, ErrorKind::invalid);
}

TEST_P(every_format, gives_from_where_it_locates_a_value_what_reading_gives) {
  const auto table = open(with({})).value();
  for (std::size_t field = 0; field < table->fields().size(); ++field) {
    EXPECT_EQ(table->spec(field).name, table->fields()[field].name);
    EXPECT_EQ(table->spec(field).kind, table->fields()[field].kind);
  }
  EXPECT_GE(expect_fetched_as_read(*table), kRows);
  EXPECT_EQ(table->finish(table->size(), 0, {}).error().kind, ErrorKind::invalid);
  EXPECT_EQ(table->finish(0, 99, {}).error().kind, ErrorKind::invalid);
}

TEST_P(every_format, refuses_values_of_a_wrong_length_wherever_they_were_fetched) {
  using Encoding = FieldSpec::Encoding;
  const auto table = open(with({})).value();
  for (std::uint64_t sample = 0; sample < table->size(); ++sample) {
    for (std::size_t field = 0; field < table->fields().size(); ++field) {
      const Location where = table->locate(sample, field).value();
      const Encoding encoding = table->spec(field).encoding;
      const bool known =
          encoding == Encoding::values || encoding == Encoding::number || encoding == Encoding::record;
      if (!known || std::holds_alternative<Number>(where)) {
        continue;  // what decodes a file tells that it ends early
      }
      for (const int more : {-1, 1}) {
        std::vector<std::uint8_t> bytes = fetched(*table, where);
        bytes.resize(bytes.size() + static_cast<std::size_t>(more));
        const auto wrong = table->finish(sample, field, Bytes::own(std::move(bytes)));
        ASSERT_FALSE(wrong.ok()) << sample << " " << field << " " << more;
        EXPECT_EQ(wrong.error().kind, ErrorKind::corrupt);
        EXPECT_EQ(wrong.error().place.index, sample);
        if (const auto* const extent = std::get_if<Extent>(&where)) {
          EXPECT_EQ(wrong.error().place.offset, extent->offset);
        }
        EXPECT_THAT(wrong.error().place.source, testing::HasSubstr("conformance"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, every_format, testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace penstock::inline v0
