#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "codecs/repacked.hpp"
#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/packed_header.hpp"
#include "codecs/repacked/symbol_counts.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_symbols.hpp"
#include "core/parallel_for.hpp"

namespace penstock::inline v0 {
namespace {

using namespace detail;  // the parts of this codec

constexpr std::size_t kDictionaryBytes = 32768;
constexpr std::size_t kMaxSegment = 8192;  // longer ones are images or private data
constexpr int kRounds = 6;

using Bytes = std::vector<std::uint8_t>;
using ImageHistograms = std::array<std::array<SymbolHistogram, kClasses>, kParts>;
using Histograms = std::vector<const SymbolHistogram*>;

CodeLengths lengths_for(const Histograms& histograms, const std::vector<int>& variant_of, int variant) {
  SymbolCounts counts{};
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    for (std::size_t symbol = 0; variant_of[i] == variant && symbol < 256; ++symbol) {
      counts[symbol] += (*histograms[i])[symbol];
    }
  }
  return limited_code_lengths(counts);
}

/// Groups the images so that each group's table fits its members: k-means with code lengths as means. In
/// whole numbers, so that no compiler or library changes the outcome.
std::array<CodeLengths, kVariants> train_class(const Histograms& histograms) {
  std::vector<int> variant_of(histograms.size(), 0);
  // Starts from equally large groups by mean cost under the table for all.
  const CodeLengths all = lengths_for(histograms, variant_of, 0);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    const std::uint64_t symbols =
        std::accumulate(histograms[i]->begin(), histograms[i]->end(), std::uint64_t{0});
    order.emplace_back(cost_of(*histograms[i], all) * 65536 / std::max<std::uint64_t>(symbols, 1), i);
  }
  std::sort(order.begin(), order.end());
  for (std::size_t place = 0; place < order.size(); ++place) {
    variant_of[order[place].second] = static_cast<int>(place * kVariants / order.size());
  }
  std::array<CodeLengths, kVariants> lengths{};
  for (int round = 0; round < kRounds; ++round) {
    for (int variant = 0; variant < kVariants; ++variant) {
      lengths[static_cast<std::size_t>(variant)] = lengths_for(histograms, variant_of, variant);
    }
    for (std::size_t i = 0; i < histograms.size(); ++i) {
      std::uint64_t least = ~std::uint64_t{0};
      for (int variant = 0; variant < kVariants; ++variant) {
        const std::uint64_t cost = cost_of(*histograms[i], lengths[static_cast<std::size_t>(variant)]);
        if (cost < least) {
          least = cost;
          variant_of[i] = variant;
        }
      }
    }
  }
  return lengths;
}

/// Segments of headers and in how many files they were.
using Segments = std::map<std::string, std::size_t>;

/// Those that save most, the best last, where they cost least to refer to.
Bytes make_dictionary(const Segments& segments) {
  std::vector<const Segments::value_type*> order;
  for (const auto& entry : segments) {
    order.push_back(&entry);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->first.size() * (a->second - 1) > b->first.size() * (b->second - 1);
  });
  std::vector<const std::string*> chosen;
  std::size_t size = 0;
  for (const auto* entry : order) {
    if (size + entry->first.size() <= kDictionaryBytes) {
      chosen.push_back(&entry->first);
      size += entry->first.size();
    }
  }
  Bytes dictionary;
  for (auto it = chosen.rbegin(); it != chosen.rend(); ++it) {
    dictionary.insert(dictionary.end(), (*it)->begin(), (*it)->end());
  }
  return dictionary;
}

}  // namespace

struct RepackTrainer::Impl {
  CoefficientReader reader;
  JpegCoefficients image;
  ImageSymbols symbols;
  std::vector<ImageHistograms> histograms;
  std::vector<bool> is_gray;
  Segments segments;

  bool learn(ByteSpan jpeg);
};

RepackTrainer::RepackTrainer() : impl_(std::make_unique<Impl>()) {}
RepackTrainer::~RepackTrainer() = default;

bool RepackTrainer::add(ByteSpan jpeg) {
  const bool learned = impl_->learn(jpeg);
  release_if_large(impl_->image, impl_->symbols);
  return learned;
}

bool RepackTrainer::Impl::learn(ByteSpan jpeg) {
  if (reader.read(jpeg, RepackFidelity::pixels, image)) {
    return false;
  }
  const RepackGeometry& geometry = image.geometry;
  start_symbols(geometry, symbols);
  for (int y = 0; y < geometry.tiles_high(); ++y) {
    for (int x = 0; x < geometry.tiles_wide(); ++x) {
      if (!add_tile_symbols(image, x, y, symbols)) {
        return false;
      }
    }
  }
  ImageHistograms& learned = histograms.emplace_back();
  is_gray.push_back(geometry.parts() == 1);
  for (std::size_t part = 0; part < kParts; ++part) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      count_symbols(symbols[part].symbols(i), symbols[part].counts()[i], learned[part][i]);
    }
  }
  Bytes head(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(image.scan_begin));
  strip_quant(head, image.quant);
  for_each_segment(head, [&](std::uint8_t, std::size_t begin, std::size_t size) {
    if (size <= kMaxSegment) {
      const auto from = head.begin() + static_cast<std::ptrdiff_t>(begin);
      ++segments[std::string(from, from + static_cast<std::ptrdiff_t>(size))];
    }
  });
  return true;
}

void RepackTrainer::append(const RepackTrainer& later) {
  const Impl& other = *later.impl_;
  impl_->histograms.insert(impl_->histograms.end(), other.histograms.begin(), other.histograms.end());
  impl_->is_gray.insert(impl_->is_gray.end(), other.is_gray.begin(), other.is_gray.end());
  for (const auto& [segment, files] : other.segments) {
    impl_->segments[segment] += files;
  }
}

std::size_t RepackTrainer::size() const noexcept { return impl_->histograms.size(); }

std::shared_ptr<const RepackTables> RepackTrainer::train(unsigned threads) const {
  const Impl& impl = *impl_;
  auto lengths = std::make_unique<RepackTables::Lengths>();
  parallel_for(std::size_t{kParts} * kClasses, threads, [&](std::size_t table) {
    const std::size_t part = table / kClasses;
    const std::size_t i = table % kClasses;
    Histograms histograms;
    for (std::size_t image = 0; image < impl.histograms.size(); ++image) {
      if (part == 0 || !impl.is_gray[image]) {
        histograms.push_back(&impl.histograms[image][part][i]);
      }
    }
    (*lengths)[part][i] = train_class(histograms);
  });
  return RepackTables::make(*lengths, make_dictionary(impl.segments));
}

}  // namespace penstock::inline v0
