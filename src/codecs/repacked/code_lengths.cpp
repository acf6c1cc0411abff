#include "codecs/repacked/code_lengths.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "codecs/repacked/layout.hpp"

namespace penstock::inline v0::detail {
namespace {

constexpr int kNone = -1;

/// A symbol, or a package of two nodes of the level before.
struct Node {
  std::uint64_t weight;
  int left;
  int right;
  int symbol;
};

}  // namespace

CodeLengths limited_code_lengths(const SymbolCounts& counts) {
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<Node> nodes;
  nodes.reserve(512 * (kMaxCodeBits + 1));
  for (int symbol = 0; symbol < 256; ++symbol) {
    // Unseen symbols get a small weight, so that long codes go to them.
    nodes.push_back(
        {counts[static_cast<std::size_t>(symbol)] * 1024 + 1 + total / 4096, kNone, kNone, symbol});
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::pair(a.weight, a.symbol) < std::pair(b.weight, b.symbol);
  });
  std::vector<int> level;
  for (int bits = 0; bits < kMaxCodeBits; ++bits) {
    const std::size_t first_package = nodes.size();
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      const auto left = static_cast<std::size_t>(level[i]);
      const auto right = static_cast<std::size_t>(level[i + 1]);
      nodes.push_back({nodes[left].weight + nodes[right].weight, level[i], level[i + 1], kNone});
    }
    level.clear();
    std::size_t leaf = 0;
    std::size_t package = first_package;
    while (leaf < 256 || package < nodes.size()) {
      const bool take_leaf =
          package == nodes.size() || (leaf < 256 && nodes[leaf].weight <= nodes[package].weight);
      level.push_back(static_cast<int>(take_leaf ? leaf++ : package++));
    }
  }
  CodeLengths lengths{};
  std::vector<int> open(level.begin(), level.begin() + 2 * 256 - 2);
  while (!open.empty()) {
    const Node& node = nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (node.symbol != kNone) {
      ++lengths[static_cast<std::size_t>(node.symbol)];
    } else {
      open.push_back(node.left);
      open.push_back(node.right);
    }
  }
  return lengths;
}

}  // namespace penstock::inline v0::detail
