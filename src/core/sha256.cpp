#include "core/sha256.hpp"

#include <algorithm>
#include <bit>

namespace penstock::inline v0 {

namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlock = 64;

std::uint32_t load_big_endian(const std::uint8_t* p) noexcept {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

void store_big_endian(std::uint8_t* p, std::uint64_t value, int bytes) noexcept {
  for (int i = bytes - 1; i >= 0; --i) {
    *p++ = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

}  // namespace

void Sha256::compress(const std::uint8_t* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (int t = 0; t < 16; ++t) {
    w[t] = load_big_endian(block + 4 * t);
  }
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> sums = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) {
    state_[i] += sums[i];
  }
}

Sha256& Sha256::update(std::span<const std::uint8_t> bytes) noexcept {
  const std::size_t held = length_ % kBlock;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(kBlock - held, bytes.size());
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kBlock) {
      return *this;
    }
    compress(pending_.data());
  }
  for (; bytes.size() >= kBlock; bytes = bytes.subspan(kBlock)) {
    compress(bytes.data());
  }
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
  return *this;
}

Sha256& Sha256::update(std::string_view text) noexcept {
  return update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Sha256::Digest Sha256::finish() noexcept {
  const std::uint64_t bits = length_ * 8;
  std::array<std::uint8_t, 2 * kBlock> tail{0x80};
  const std::size_t held = length_ % kBlock;
  const std::size_t padding = (held < 56 ? 56 : 120) - held;
  store_big_endian(tail.data() + padding, bits, 8);
  update(std::span(tail).first(padding + 8));

  Digest digest;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    store_big_endian(digest.data() + 4 * i, state_[i], 4);
  }
  *this = Sha256();
  return digest;
}

std::string to_hex(const Sha256::Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string short_hash(std::string_view text) { return to_hex(Sha256().update(text).finish()).substr(0, 16); }

}  // namespace penstock::inline v0
