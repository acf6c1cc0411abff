#pragma once
// libmpg123, which libsndfile reads MP3 with, prints what it finds damaged to the standard error unless it is
// told not to, and libsndfile has no option for that.

namespace penstock::inline v0 {

/// MP3 decoders that libsndfile makes on this thread while one of these lives print nothing. Those of others
/// are left alone. Without effect where libmpg123 is no shared library of its own, or where the process had a
/// libsndfile before it had us: that of the Python package soundfile, for one, which has the same soname and
/// so serves us too, and whose libmpg123 is linked in with hidden names, so that its handles cannot be
/// reached.
class QuietMpg123 {
 public:
  QuietMpg123() noexcept;
  ~QuietMpg123();
  QuietMpg123(const QuietMpg123&) = delete;
  QuietMpg123& operator=(const QuietMpg123&) = delete;
};

}  // namespace penstock::inline v0
