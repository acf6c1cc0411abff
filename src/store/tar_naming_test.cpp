#include "store/tar_naming.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace penstock::inline v0 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using namespace std::string_view_literals;

constexpr std::string_view kJpeg = "\xFF\xD8\xFF";
constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n";
constexpr std::string_view kWebp = "RIFF....WEBP";

/// The extensions of a sample whose fields have these files.
std::vector<std::string> write(TarNaming& naming, const std::vector<std::string_view>& files) {
  std::vector<std::string> extensions;
  for (std::size_t field = 0; field < files.size(); ++field) {
    extensions.push_back(naming.extension(
        field, {reinterpret_cast<const std::uint8_t*>(files[field].data()), files[field].size()}));
  }
  naming.note(extensions);
  return extensions;
}

TEST(tar_naming, goes_by_the_file_where_a_name_has_several_extensions) {
  TarNaming naming({{"image", FieldKind::image}, {"label", FieldKind::integer}, {"text", FieldKind::text}});
  EXPECT_THAT(write(naming, {kJpeg, "1", "a"}), ElementsAre("jpg", "cls", "txt"));
  EXPECT_THAT(write(naming, {kWebp, "1", "a"}), ElementsAre("webp", "cls", "txt"));
  EXPECT_THAT(naming.renamed(), IsEmpty());
}

TEST(tar_naming, a_mask_beside_its_image_keeps_its_name) {
  TarNaming naming({{"png", FieldKind::image}, {"image", FieldKind::image}});
  EXPECT_THAT(write(naming, {kPng, kJpeg}), ElementsAre("png", "jpg"));
  EXPECT_THAT(write(naming, {kPng, kPng}), ElementsAre("png", "jpg"));  // whatever the image is
  EXPECT_THAT(write(naming, {kPng, kWebp}), ElementsAre("png", "jpg"));
  EXPECT_THAT(naming.renamed(), IsEmpty());
  TarNaming recordings({{"audio", FieldKind::audio}, {"mp3", FieldKind::audio}});
  EXPECT_THAT(write(recordings, {"RIFF....WAVE", "ID3"}), ElementsAre("wav", "mp3"));
  EXPECT_THAT(recordings.renamed(), IsEmpty());
}

TEST(tar_naming, names_that_an_extension_says_stay) {
  TarNaming naming({{"image", FieldKind::image},
                    {"seg.png", FieldKind::image},
                    {"id", FieldKind::integer},
                    {"pth", FieldKind::bytes}});
  EXPECT_THAT(write(naming, {kPng, kJpeg, "1", "x"}), ElementsAre("png", "seg.png", "id", "pth"));
  EXPECT_THAT(naming.renamed(), IsEmpty());
}

TEST(tar_naming, says_what_is_read_under_another_name) {
  TarNaming naming({{"photo", FieldKind::image}, {"label", FieldKind::integer}});
  EXPECT_THAT(write(naming, {kPng, "1"}), ElementsAre("photo.png", "cls"));
  EXPECT_THAT(write(naming, {kJpeg, "1"}), ElementsAre("photo.png", "cls"));  // one field for all samples
  EXPECT_THAT(naming.renamed(),
              ElementsAre(HasSubstr("'photo' (image) is read from the tars as 'photo.png'")));
  TarNaming alone({{"png", FieldKind::image}});
  write(alone, {kPng});
  EXPECT_EQ(alone.renamed().size(), 1u);
  TarNaming kind({{"png", FieldKind::bytes}, {"image", FieldKind::image}});
  write(kind, {"x", kJpeg});
  EXPECT_THAT(kind.renamed(), ElementsAre(HasSubstr("'png' (bytes) is read from the tars as 'png' (image)")));
}

TEST(tar_naming, knows_mp3_without_a_tag) {
  TarNaming naming({{"audio", FieldKind::audio}});
  for (const std::string_view frame : {"\xFF\xFBzz"sv, "\xFF\xF3zz"sv, "\xFF\xF2zz"sv}) {
    EXPECT_THAT(write(naming, {frame}), ElementsAre("mp3"));
  }
}

}  // namespace
}  // namespace penstock::inline v0
