// In place of hdf5_file.cpp in a build without the library.

#include "store/hdf5_file.hpp"

namespace penstock {
namespace {

Error absent() {
  return {.kind = ErrorKind::unsupported,
          .message = "this build of penstock has no HDF5",
          .advice = "install the package libhdf5-dev and build penstock again with -DPENSTOCK_SOUND=ON",
          .place = {.stage = "build"}};
}

}  // namespace

Result<SoundFilePlaces> create_sound_file(const std::string&, const SoundFileContents&) { return absent(); }
Status shorten_sound_file(const std::string&, const SoundFileContents&) { return absent(); }
Result<std::string> sound_file_attribute(const std::string&, const std::string&) { return absent(); }

}  // namespace penstock
