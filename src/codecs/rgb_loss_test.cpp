#include "codecs/rgb_loss.hpp"

#include <gtest/gtest.h>

namespace penstock::inline v0 {
namespace {

TEST(RgbLoss, says_what_to_ask_for) {
  EXPECT_EQ(
      rgb_loss_text(RgbLoss::depth, "depth", "depth.png"),
      "field 'depth': 16-bit gray is reduced to 8 bits by mode RGB; ask for penstock.Image(\"depth.png\", "
      "mode=\"I;16\")");
  EXPECT_EQ(rgb_loss_text(RgbLoss::alpha, "image", "image"),
            "field 'image': transparency is dropped by mode RGB; ask for penstock.Image(\"image\", "
            "mode=\"RGBA\")");
  EXPECT_EQ(rgb_loss_text(RgbLoss::none, "image", "image"), "");
}

TEST(RgbLoss, palettes_are_masks_where_the_field_is_called_so) {
  for (const char* field : {"seg", "seg.png", "Mask", "my_masks", "segmentation"}) {
    for (const RgbLoss loss : {RgbLoss::palette, RgbLoss::palette_and_alpha}) {
      EXPECT_NE(rgb_loss_text(loss, field, "x.png").find("penstock.Mask(\"x.png\")"), std::string::npos);
    }
  }
  EXPECT_EQ(rgb_loss_text(RgbLoss::palette, "image", "png"), "");
  EXPECT_NE(rgb_loss_text(RgbLoss::palette_and_alpha, "image", "png").find("RGBA"), std::string::npos);
}

TEST(RgbLoss, a_note_has_one_sentence_for_a_field) {
  const RgbLossNote note("image", "png");
  EXPECT_EQ(note.text(), "");
  note.see(RgbLoss::none);
  note.see(RgbLoss::palette);  // colours, in a field of this name
  EXPECT_EQ(note.text(), "");
  note.see(RgbLoss::alpha);
  EXPECT_EQ(note.text(), rgb_loss_text(RgbLoss::alpha, "image", "png"));
  note.see(RgbLoss::depth);
  EXPECT_EQ(note.text(), rgb_loss_text(RgbLoss::depth, "image", "png"));
}

}  // namespace
}  // namespace penstock::inline v0
