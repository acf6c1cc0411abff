#include "store/table_training.hpp"

#include <array>
#include <charconv>
#include <mutex>

#include "core/parallel_for.hpp"
#include "core/rng.hpp"
#include "formats/original_file.hpp"
#include "formats/store_format.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kTrainingSamples = 128;
/// Each is learned by one thread; their number never depends on that of threads.
constexpr std::size_t kParts = 16;

void learn(const SampleTable& source, std::uint64_t sample, RepackTrainer& trainer) {
  OriginalFile original;
  for (std::size_t field = 0; field < source.fields().size(); ++field) {
    if (source.fields()[field].kind != FieldKind::image) {
      continue;
    }
    // What cannot be read is left to the build, which says so.
    if (const auto stored = source.read(sample, field); stored.ok()) {
      const auto file = original.of(*stored);
      if (file.ok() && stored->intact().ok()) {
        trainer.add(*file);
      }
    }
  }
}

}  // namespace

std::vector<std::uint64_t> training_samples(const std::string& fingerprint, std::uint64_t samples) {
  std::uint64_t seed = 0;
  std::from_chars(fingerprint.data(), fingerprint.data() + std::min<std::size_t>(fingerprint.size(), 16),
                  seed, 16);
  const std::uint64_t count = std::min(samples, kTrainingSamples);
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t begin = samples / count * k + samples % count * k / count;
    const std::uint64_t end = samples / count * (k + 1) + samples % count * (k + 1) / count;
    chosen.push_back(begin + mix64(seed, k) % (end - begin));
  }
  return chosen;
}

Result<std::shared_ptr<const RepackTables>> train_tables(const SampleTable& source,
                                                         const std::string& fingerprint, unsigned threads,
                                                         const std::function<bool()>& goes_on) {
  const std::vector<std::uint64_t> samples = training_samples(fingerprint, source.size());
  std::array<RepackTrainer, kParts> parts;
  std::mutex asking;
  bool stopped = false;
  const auto is_stopped = [&] {
    const std::lock_guard lock(asking);
    stopped = stopped || !goes_on();
    return stopped;
  };
  parallel_for(kParts, threads, [&](std::size_t part) {
    const std::size_t end = samples.size() * (part + 1) / kParts;
    for (std::size_t i = samples.size() * part / kParts; i < end && !is_stopped(); ++i) {
      learn(source, samples[i], parts[part]);
    }
  });
  if (stopped) {
    return std::shared_ptr<const RepackTables>();
  }
  RepackTrainer all;
  for (const RepackTrainer& part : parts) {
    all.append(part);
  }
  return all.size() > 0 ? all.train(threads) : nullptr;
}

Result<std::shared_ptr<const RepackTables>> read_tables(const std::string& path) {
  const auto bytes = local_storage()->read(path);
  if (!bytes.ok()) {
    return std::shared_ptr<const RepackTables>();
  }
  auto tables = parse_repack_tables(*bytes);
  return tables.ok() ? std::move(*tables) : std::shared_ptr<const RepackTables>();
}

Status write_tables(const RepackTables& tables, const Folder& folder) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(kStoreTablesName, 0));
  PENSTOCK_TRY(file.append(serialise(tables)));
  PENSTOCK_TRY(file.sync());
  return file.close();
}

}  // namespace penstock::inline v0
