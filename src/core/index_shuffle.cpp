#include "core/index_shuffle.hpp"

#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace penstock::inline v0 {

namespace {

__extension__ using uint128 = unsigned __int128;

/// Multiply, fold, multiply: the upper half of the result depends on every bit of both words.
std::uint64_t scramble(std::uint64_t x, std::uint64_t key) noexcept {
  std::uint64_t z = (x + key) * 0x9FB21C651E98DF25ull;
  z ^= z >> 32;
  return z * 0xD6E8FEB86659FD93ull;
}

/// A word scaled to [0, bound).
std::uint64_t scaled(std::uint64_t word, std::uint64_t bound) noexcept {
  return static_cast<std::uint64_t>((uint128{word} * bound) >> 64);
}

}  // namespace

namespace detail {

FeistelShuffle::FeistelShuffle(std::uint64_t size, Draws draws) noexcept
    : size_(size), column_bits_(std::bit_width(size - 1) / 2) {
  columns_mask_ = (std::uint64_t{1} << column_bits_) - 1;
  rows_ = (size + columns_mask_) >> column_bits_;
  for (std::uint64_t& key : keys_) {
    key = draws.next64();
  }
}

std::uint64_t FeistelShuffle::forward(std::uint64_t x) const noexcept {
  do {
    std::uint64_t column = x & columns_mask_;
    std::uint64_t row = x >> column_bits_;
    for (int i = 0; i < 2 * kRoundPairs; i += 2) {
      column ^= (scramble(row, keys_[i]) >> 32) & columns_mask_;
      row += scaled(scramble(column, keys_[i + 1]), rows_);
      row -= row >= rows_ ? rows_ : 0;
    }
    x = (row << column_bits_) | column;
  } while (x >= size_);
  return x;
}

std::uint64_t FeistelShuffle::backward(std::uint64_t x) const noexcept {
  do {
    std::uint64_t column = x & columns_mask_;
    std::uint64_t row = x >> column_bits_;
    for (int i = 2 * kRoundPairs - 2; i >= 0; i -= 2) {
      row -= scaled(scramble(column, keys_[i + 1]), rows_);
      row += row >= rows_ ? rows_ : 0;  // it went below zero
      column ^= (scramble(row, keys_[i]) >> 32) & columns_mask_;
    }
    x = (row << column_bits_) | column;
  } while (x >= size_);
  return x;
}

}  // namespace detail

IndexShuffle::IndexShuffle(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch) : size_(size) {
  if (size > kMaxSize) {
    throw std::invalid_argument("cannot shuffle " + std::to_string(size) + " indices, at most 2^62");
  }
  if (size > kTableLimit) {
    feistel_ = detail::FeistelShuffle(size, seed, epoch);
    return;
  }
  table_.resize(2 * size);
  for (std::uint64_t i = 0; i < size; ++i) {
    table_[i] = static_cast<std::uint16_t>(i);
  }
  Draws draws({.seed = seed, .epoch = epoch, .sample = size}, kShuffleOp);
  for (std::uint64_t i = size; i > 1; --i) {
    std::swap(table_[i - 1], table_[draws.below(i)]);
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    table_[size + table_[i]] = static_cast<std::uint16_t>(i);
  }
}

}  // namespace penstock::inline v0
