#pragma once
// Kinds of rows that are not a sample each, with the data sets that they are made of, for tests of loaders.

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tar_for_test.hpp"
#include "io/memory_storage_for_test.hpp"
#include "pipeline/fill/joined_labels_for_test.hpp"
#include "pipeline/loader_for_test.hpp"
#include "pipeline/order/row_plans_for_test.hpp"
#include "pipeline/plan/field_fills.hpp"

namespace penstock::test {

/// A MemoryTable with labels alone.
class LabelTable final : public MemoryTable {
 public:
  using MemoryTable::MemoryTable;
  const std::vector<FieldInfo>& fields() const noexcept override { return labels_; }
  Result<StoredValue> read(std::uint64_t sample, std::size_t) const override {
    return MemoryTable::read(sample, 0);
  }
  std::vector<std::uint64_t> shard_starts() const override { return {0, 11, 20}; }

 private:
  std::vector<FieldInfo> labels_ = {{"label", FieldKind::integer}};
};

inline Dataset tar_of_images(std::uint64_t samples, const std::set<std::uint64_t>& bad) {
  TarForTest tar;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto image = make_jpeg(40 + static_cast<int>(i), 50, static_cast<unsigned>(i));
    const std::string_view bytes(reinterpret_cast<const char*>(image.data()), image.size());
    const std::string name = fmt::format("{:02}", i);
    tar.file(name + ".jpg", bytes.substr(0, bad.contains(i) ? bytes.size() / 2 : bytes.size()))
        .file(name + ".cls", std::to_string(i));
  }
  auto memory = std::make_shared<MemoryStorage>();
  memory->put("a.tar", tar.end().bytes());
  auto storages = std::make_shared<Storages>(Storages::standard());
  storages->set("memory", memory);
  return Dataset::open("memory://a.tar",
                       {.fields = {{"image", "jpg"}, {"label", "cls"}}, .storages = storages})
      .value();
}

inline Dataset memory_images(std::uint64_t samples, std::set<std::uint64_t> bad = {}) {
  auto table = std::make_shared<MemoryTable>(samples, some_images());
  table->bad = std::move(bad);
  return Dataset::of(std::move(table), "memory");
}

/// Rows of a kind, good or with samples that cannot be read.
struct Kind {
  std::string name;
  std::function<Dataset(bool with_bad_samples)> dataset;
  RowRecipe rows;
  FieldTransforms transforms;
  std::set<std::int64_t> bad;  ///< samples as batches number them
  std::size_t bad_rows = 0;

  Loader open(const LoaderOptions& options, bool with_bad_samples = false) const {
    return Loader::open(dataset(with_bad_samples), transforms, options, {}, rows).value();
  }

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

inline Kind clips() {
  return {.name = "clips",
          .dataset =
              [](bool bad) {
                return tar_of_images(7, bad ? std::set<std::uint64_t>{2} : std::set<std::uint64_t>{});
              },
          .rows = {.plan = std::make_shared<const ClipRows>(7, 3)},
          .transforms = augmentation(),
          .bad = {2},
          .bad_rows = 3};
}

inline Kind mixture(std::uint64_t first = 12, std::uint64_t second = 6) {
  return {.name = "mixture",
          .dataset =
              [first, second](bool bad) {
                return join({memory_images(first), memory_images(second, bad ? std::set<std::uint64_t>{4}
                                                                             : std::set<std::uint64_t>{})})
                    .value();
              },
          .rows = {.plan = std::make_shared<const MixedRows>(first, second)},
          .transforms = augmentation(),
          .bad = {static_cast<std::int64_t>(first) + 4},
          .bad_rows = 1};
}

inline Kind packed() {
  return {.name = "packed",
          .dataset =
              [](bool bad) {
                auto table = std::make_shared<LabelTable>(32);
                if (bad) {
                  table->bad = {7, 8, 15};  // of rows 2 and 5
                }
                return Dataset::of(std::move(table), "memory");
              },
          .rows = {.plan = std::make_shared<const PackedRows>(32, 3), .fill = joined_labels},
          .transforms = {},
          .bad = {7, 8, 15},
          .bad_rows = 2};
}

inline Kind shuffled_packing() {
  Kind kind = packed();
  kind.name = "shuffled_packing";
  kind.dataset = [](bool bad) {
    auto table = std::make_shared<LabelTable>(32);
    if (bad) {
      table->bad = {7};
    }
    return Dataset::of(std::move(table), "memory");
  };
  kind.rows.plan = std::make_shared<const ShuffledPacking>(32, 3);
  kind.bad = {7};
  kind.bad_rows = 1;
  return kind;
}

inline LoaderOptions options_of(int workers, bool shuffle = true) {
  return {.batch_size = 4, .shuffle = shuffle, .seed = 3, .num_workers = workers};
}

/// What each row of two epochs holds.
inline std::vector<std::string> rows_of(Loader& loader) {
  std::vector<std::string> all;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const Batch& batch : take_epoch(loader)) {
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        all.push_back(contents(batch, row));
      }
    }
  }
  return all;
}

}  // namespace penstock::test
