#pragma once
// Loaders of tables in memory, and what they deliver, for tests.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/loader.hpp"
#include "pipeline/memory_table_for_test.hpp"
#include "pipeline/test_images.hpp"

namespace penstock::inline v0 {

inline Loader open_loader(std::shared_ptr<const SampleTable> table, LoaderOptions options,
                          FieldTransforms transforms = {}) {
  return std::move(Loader::open(Dataset::of(std::move(table), "memory"), std::move(transforms), options))
      .value();
}

inline std::vector<Batch> take_epoch(Loader& loader) {
  const std::uint64_t ticket = loader.start_epoch().value();
  std::vector<Batch> batches;
  for (;;) {
    std::optional<Batch> batch = loader.next(ticket).value();
    if (!batch) {
      return batches;
    }
    batches.push_back(std::move(*batch));
  }
}

inline std::vector<std::int64_t> indices(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> all;
  for (const Batch& batch : batches) {
    all.insert(all.end(), batch.index().begin(), batch.index().end());
  }
  return all;
}

inline std::string text_of(const Batch& batch, std::size_t row) {
  const ByteSpan text = batch.find("text")->bytes_of(row);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

// Everything a row holds, as bytes.
inline std::string contents(const Batch& batch, std::size_t row) {
  std::string all;
  const auto add = [&all](const void* data, std::size_t size) {
    all.append(static_cast<const char*>(data), size);
  };
  add(&batch.index()[row], sizeof(std::int64_t));
  for (const Column& column : batch.columns()) {
    if (column.lengths != nullptr) {
      add(&column.lengths[row], sizeof(std::int64_t));
    }
    add(column.bytes_of(row).data(), column.bytes_of(row).size());
  }
  return all;
}

// Everything a batch holds, as bytes.
inline std::string contents(const Batch& batch) {
  std::string all;
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    all += contents(batch, row);
  }
  return all;
}

inline std::vector<std::vector<std::uint8_t>> some_images() {
  std::vector<std::vector<std::uint8_t>> images;
  for (unsigned i = 0; i < 12; ++i) {
    images.push_back(make_jpeg(20 + 7 * static_cast<int>(i), 90 - 5 * static_cast<int>(i), i));
  }
  return images;
}

inline FieldTransforms augmentation() {
  return {{"image",
           {transforms::RandomResizedCrop{.size = 16}, transforms::RandomHorizontalFlip{},
            transforms::ToFloat{}, transforms::Normalize{.mean = {0.5}, .std = {0.25}}}}};
}

}  // namespace penstock::inline v0
