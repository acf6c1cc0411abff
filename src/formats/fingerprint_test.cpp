#include "formats/fingerprint.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(fingerprint, is_the_documented_hash) {
  // hashlib.sha256(struct.pack("<Q2sQQ5sQQ5sQ", 2, b"k0", 2, 5, b"image", 1000, 5, b"label",
  // 8)).hexdigest()[:32]
  Fingerprint print;
  print.add_sample("k0", 2);
  print.add_field("image", 1000);
  print.add_field("label", 8);
  EXPECT_EQ(print.finish(), "b3245a6dd5ca3e1e6712b57e1811fce5");
}

TEST(fingerprint, of_nothing_is_that_of_no_bytes) {
  EXPECT_EQ(Fingerprint().finish(), "e3b0c44298fc1c149afbf4c8996fb924");
}

}  // namespace
}  // namespace penstock::inline v0
