#pragma once
// Class folders: root/<class>/.../image or recording. The rules in words: docs/formats/image_folder.md.

#include <memory>

#include "formats/format.hpp"
#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

/// Any folder that is nothing else.
extern const Format kClassFolderFormat;

/// Images below each class folder, or recordings where there are no images, with the number of the class as
/// label; or, in a folder that has no folders in it, its files without labels. No file is opened before it is
/// read, and none stays open.
Result<std::unique_ptr<SampleTable>> open_image_folder(const NamedPath& root, const OpenOptions& options);

}  // namespace penstock::inline v0
