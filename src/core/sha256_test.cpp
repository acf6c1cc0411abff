#include "core/sha256.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

std::string hash_of(std::string_view text) { return to_hex(Sha256().update(text).finish()); }

TEST(sha256, agrees_with_the_published_examples) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      hash_of(
          "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsm"
          "nopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

TEST(sha256, hashes_a_million_letters) {
  Sha256 hash;
  for (int i = 0; i < 10'000; ++i) {
    hash.update(std::string(100, 'a'));
  }
  EXPECT_EQ(to_hex(hash.finish()), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256, does_not_depend_on_how_the_bytes_are_cut) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += static_cast<char>(i * 7);
  }
  for (std::size_t length : {54u, 55u, 56u, 57u, 63u, 64u, 65u, 119u, 120u, 127u, 128u, 129u, 300u}) {
    const std::string_view message = std::string_view(text).substr(0, length);
    const std::string whole = hash_of(message);
    for (std::size_t piece = 1; piece <= 70; ++piece) {
      Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) {
        hash.update(message.substr(at, piece));
      }
      ASSERT_EQ(to_hex(hash.finish()), whole) << length << " bytes in pieces of " << piece;
    }
  }
}

TEST(sha256, pads_every_length_right) {
  // The hash of the hashes of 0, 1, ... 130 bytes 'a'; from Python's hashlib.
  Sha256 all;
  for (std::size_t length = 0; length <= 130; ++length) {
    const Sha256::Digest digest = Sha256().update(std::string(length, 'a')).finish();
    all.update(digest);
  }
  EXPECT_EQ(to_hex(all.finish()), "f908a43fc8456c583aacde0fb2627959f8513dc76d0c03979b7f945a7dd78f22");
}

TEST(sha256, starts_anew_after_finish) {
  Sha256 hash;
  hash.update("something else").finish();
  EXPECT_EQ(to_hex(hash.update("abc").finish()), hash_of("abc"));
}

}  // namespace
}  // namespace penstock::inline v0
