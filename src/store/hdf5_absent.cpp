// In place of hdf5_file.cpp in a build without the library.

#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {
namespace {

Error absent() {
  return {.kind = ErrorKind::unsupported,
          .message = "this build of penstock has no support for HDF5",
          .advice = "install the package libhdf5-dev and rebuild penstock with -DPENSTOCK_AUDIO=ON",
          .place = {.stage = "build"}};
}

}  // namespace

Result<AudioFilePlaces> create_audio_file(const std::string&, const AudioFileContents&) { return absent(); }
Status shorten_audio_file(const std::string&, const AudioFileContents&) { return absent(); }
Result<std::string> audio_file_attribute(const std::string&, const std::string&) { return absent(); }

}  // namespace penstock::inline v0
