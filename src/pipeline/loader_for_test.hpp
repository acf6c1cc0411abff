#pragma once
// Loaders of tables in memory, and what they deliver, for tests.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/loader.hpp"
#include "pipeline/memory_table_for_test.hpp"
#include "pipeline/test_pictures.hpp"

namespace penstock {

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
  const ByteSpan blob = batch.find("text")->blobs[row];
  return {reinterpret_cast<const char*>(blob.data()), blob.size()};
}

// Everything a batch holds, as bytes.
inline std::string contents(const Batch& batch) {
  std::string all;
  const auto add = [&all](const void* data, std::size_t size) {
    all.append(static_cast<const char*>(data), size);
  };
  add(batch.index().data(), batch.index().size_bytes());
  for (const Column& column : batch.columns()) {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      switch (column.shape) {
        case Column::Shape::integers:
          add(&column.integers[row], sizeof(std::int64_t));
          break;
        case Column::Shape::blobs:
          add(column.blobs[row].data(), column.blobs[row].size());
          break;
        case Column::Shape::pictures: {
          const std::size_t bytes = std::size_t{3} * column.size.width * column.size.height *
                                    (column.type == ElementType::float32 ? sizeof(float) : 1);
          add(static_cast<const char*>(column.data) + row * bytes, bytes);
          break;
        }
        case Column::Shape::arrays: {
          const std::size_t bytes = ArraySpec{column.scalar, column.extents, true}.bytes();
          add(static_cast<const char*>(column.data) + row * bytes, bytes);
          break;
        }
        case Column::Shape::array_list:
          add(column.arrays[row].data, ArraySpec{column.scalar, column.arrays[row].shape, true}.bytes());
          break;
        case Column::Shape::picture_list:
          add(column.pictures[row].data, (column.type == ElementType::float32 ? sizeof(float) : 1) *
                                             std::size_t{3} * column.pictures[row].size.width *
                                             column.pictures[row].size.height);
          break;
        case Column::Shape::sounds:
        case Column::Shape::sound_list: {
          const bool fixed = column.shape == Column::Shape::sounds;
          const auto planes =
              static_cast<std::size_t>(column.sound.channels * std::max(column.sound.bands, 1));
          const auto frames =
              static_cast<std::size_t>(fixed ? column.sound.frames : column.sounds[row].frames);
          add(&column.integers[row], sizeof(std::int64_t));
          add(fixed ? static_cast<const float*>(column.data) + row * planes * frames
                    : column.sounds[row].data,
              planes * frames * sizeof(float));
          break;
        }
      }
    }
  }
  return all;
}

inline std::vector<std::vector<std::uint8_t>> some_pictures() {
  std::vector<std::vector<std::uint8_t>> pictures;
  for (unsigned i = 0; i < 12; ++i) {
    pictures.push_back(make_jpeg(20 + 7 * static_cast<int>(i), 90 - 5 * static_cast<int>(i), i));
  }
  return pictures;
}

inline FieldTransforms augmentation() {
  return {{"image",
           {transforms::RandomResizedCrop{.size = 16}, transforms::RandomHorizontalFlip{},
            transforms::ToFloat{}, transforms::Normalize{.mean = {0.5}, .std = {0.25}}}}};
}

}  // namespace penstock
