// Reads images from WebDataset tars as a training loop would: shuffled, cropped, flipped, normalised.
//
//   read_tars train-000000.tar train-000001.tar

#include <penstock/loader.hpp>

#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kSide = 64;

/// What the loop below learns about an epoch.
struct Summary {
  std::uint64_t batches = 0;
  std::uint64_t images = 0;
  double mean = 0;
  std::map<std::int64_t, std::uint64_t> labels;
};

penstock::Result<Summary> read_epoch(penstock::Loader& loader) {
  PENSTOCK_ASSIGN(const std::uint64_t ticket, loader.start_epoch());
  Summary summary;
  double sum = 0;
  while (true) {
    PENSTOCK_ASSIGN(std::optional<penstock::Batch> batch, loader.next(ticket));
    if (!batch) {
      break;
    }
    const penstock::Column* images = batch->find("image");
    const penstock::Column* labels = batch->find("label");
    if (images == nullptr || labels == nullptr) {
      return penstock::Error{.kind = penstock::ErrorKind::invalid,
                             .message = "the samples have no image or no label",
                             .advice = "name tars whose samples hold a .jpg, .png or .webp and a .cls file"};
    }
    const std::size_t values = batch->rows() * 3 * kSide * kSide;
    for (const float value : std::span(static_cast<const float*>(images->data), values)) {
      sum += value;
    }
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      ++summary.labels[labels->integers()[row]];
    }
    summary.images += batch->rows();
    ++summary.batches;
  }
  summary.mean = sum / (static_cast<double>(summary.images) * 3 * kSide * kSide);
  return summary;
}

penstock::Status run(const std::vector<std::string>& shards) {
  PENSTOCK_ASSIGN(penstock::Dataset dataset, penstock::Dataset::open(shards));
  std::cout << dataset.size() << " samples, fingerprint " << dataset.fingerprint() << "\n";
  for (const penstock::FieldInfo& field : dataset.fields()) {
    std::cout << "  field " << field.name << ": " << penstock::name_of(field.kind) << "\n";
  }

  PENSTOCK_ASSIGN(penstock::Loader loader,
                  penstock::Loader::open(std::move(dataset), penstock::presets::imagenet_train(kSide),
                                         {.batch_size = 32, .shuffle = true, .seed = 1}));
  std::cout << loader.plan() << "\n";
  for (int epoch = 0; epoch < 2; ++epoch) {
    PENSTOCK_ASSIGN(const Summary summary, read_epoch(loader));
    std::cout << "epoch " << epoch << ": " << summary.images << " images in " << summary.batches
              << " batches, " << summary.labels.size() << " labels, mean value " << summary.mean << "\n";
  }
  std::cout << loader.stats().verdict << "\n";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> shards(argv + 1, argv + argc);
  if (shards.empty()) {
    std::cerr << "usage: read_tars SHARD.tar ...\n";
    return 2;
  }
  if (const penstock::Status status = run(shards); !status.ok()) {
    std::cerr << status.error().to_string() << "\n";
    return 1;
  }
  return 0;
}
