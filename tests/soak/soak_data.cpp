#include "soak_data.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "formats/tar_for_test.hpp"
#include "formats/tar_table.hpp"
#include "pipeline/loader_for_test.hpp"

namespace penstock::inline v0 {
namespace {

std::shared_ptr<const SampleTable> table_in_memory() {
  auto table = std::make_shared<MemoryTable>(SoakData::kSamples, some_images());
  table->bad = {3, 17, 18, 44};
  table->slow = {8, 30, 55};
  table->delay = std::chrono::milliseconds(4);
  return table;
}

struct Tars {
  std::shared_ptr<const SampleTable> table;
  std::uint64_t opening_reads = 0;  ///< of the second shard
};

/// Two shards, with an image that is cut off, one that is none, and `faults` in the second.
Tars open_tars(const std::vector<Fault>& faults) {
  const auto images = some_images();
  auto memory = std::make_shared<MemoryStorage>();
  std::vector<NamedPath> shards;
  std::shared_ptr<const FaultyStorage> second;
  for (std::uint64_t shard = 0; shard < 2; ++shard) {
    TarForTest tar;
    const std::uint64_t half = SoakData::kSamples / 2;
    for (std::uint64_t i = shard * half; i < (shard == 0 ? half : SoakData::kSamples); ++i) {
      const auto& image = images[i % images.size()];
      std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
      text = i == 11 ? text.substr(0, text.size() / 2) : i == 40 ? "no image" : text;
      tar.file(fmt::format("{:03}.jpg", i), text).file(fmt::format("{:03}.cls", i), fmt::format("{}", i));
    }
    const std::string name = fmt::format("{}.tar", shard);
    memory->put(name, tar.end().bytes());
    second = std::make_shared<FaultyStorage>(memory, shard == 1 ? faults : std::vector<Fault>{});
    shards.push_back({name, name, second});
  }
  std::shared_ptr<const SampleTable> table = open_tar_table(shards, {}, {}).value();
  return {std::move(table), second->reads()};
}

}  // namespace

std::int64_t number_of(const std::string& row) {
  std::int64_t number = 0;
  std::memcpy(&number, row.data(), sizeof number);
  return number;
}

void add_rows(const Batch& batch, Rows& rows) {
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    std::string all;
    const auto add = [&all](const void* data, std::size_t size) {
      all.append(static_cast<const char*>(data), size);
    };
    add(&batch.index()[row], sizeof(std::int64_t));
    for (const Column& column : batch.columns()) {
      if (column.format && column.ragged()) {
        throw std::runtime_error("a list of images where one size was planned");
      }
      add(column.bytes_of(row).data(), column.bytes_of(row).size());
    }
    rows.push_back(std::move(all));
  }
}

void add_rest(Loader& loader, std::uint64_t ticket, Rows& rows) {
  for (;;) {
    Result<std::optional<Batch>> batch = loader.next(ticket);
    if (!batch) {
      throw std::runtime_error(batch.error().to_string());
    }
    if (!*batch) {
      return;
    }
    add_rows(**batch, rows);
  }
}

std::shared_ptr<const SampleTable> tars_with(Fault fault) {
  static const std::uint64_t opening_reads = open_tars({}).opening_reads;
  fault.after += opening_reads;
  return open_tars({fault}).table;
}

LoaderOptions options_of_every_load() {
  return {.batch_size = 8, .shuffle = true, .seed = 21, .num_workers = 1, .prefetch = 1};
}

SoakData::SoakData() {
  tables_.push_back(table_in_memory());
  tables_.push_back(open_tars({}).table);
  // Whoever reads the first image of the second shard waits.
  const std::chrono::milliseconds delay(5);
  tables_.push_back(open_tars({{.kind = Fault::Kind::delay, .offset = 600, .delay = delay}}).table);
}

const Rows& SoakData::reference(std::size_t table, OnError on_error, std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = references_.try_emplace({table, on_error, epoch});
  if (is_new) {
    LoaderOptions options = options_of_every_load();
    options.on_error = on_error;
    Loader loader = open_loader(tables_[table], options, augmentation());
    loader.set_epoch(epoch);
    add_rest(loader, loader.start_epoch().value(), at->second);
  }
  return at->second;
}

}  // namespace penstock::inline v0
