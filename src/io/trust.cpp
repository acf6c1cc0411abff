#include "io/trust.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace penstock::inline v0 {
namespace {

constexpr std::size_t kFirstBuffer = 4096;
constexpr std::size_t kMaxBuffer = std::size_t{1} << 22;

/// Calls one of getpwuid_r and its kin with enough memory, and `use` with what it found.
template <class Record, class Look, class Use>
bool look_up(Look&& look, Use&& use) {
  for (std::vector<char> memory(kFirstBuffer); memory.size() <= kMaxBuffer;
       memory.resize(2 * memory.size())) {
    Record record{};
    Record* found = nullptr;
    const int failure = look(&record, memory.data(), memory.size(), &found);
    if (failure != ERANGE) {
      if (failure == 0 && found != nullptr) {
        use(*found);
        return true;
      }
      return false;
    }
  }
  return false;
}

template <class Use>
bool with_user(::uid_t user, Use&& use) {
  return look_up<::passwd>([user](auto* record, char* memory, std::size_t size,
                                  auto** found) { return ::getpwuid_r(user, record, memory, size, found); },
                           use);
}

std::string name_of_user(::uid_t user) {
  std::string name;
  with_user(user, [&name](const ::passwd& found) { name = found.pw_name; });
  return name.empty() ? fmt::format("user {}", user) : fmt::format("user {} ({})", user, name);
}

/// Debian and others give every user a group of their own, and let that group write by default.
std::optional<::gid_t> private_group(::uid_t user) {
  std::optional<::gid_t> group;
  std::string user_name;
  with_user(user, [&](const ::passwd& found) {
    group = found.pw_gid;
    user_name = found.pw_name;
  });
  bool is_private = false;
  if (group) {
    look_up<::group>([&group](auto* record, char* memory, std::size_t size,
                              auto** found) { return ::getgrgid_r(*group, record, memory, size, found); },
                     [&](const ::group& found) {
                       is_private = user_name == found.gr_name;
                       for (char* const* member = found.gr_mem; is_private && *member != nullptr; ++member) {
                         is_private = user_name == *member;
                       }
                     });
  }
  return is_private ? group : std::nullopt;
}

std::optional<std::uint32_t> as_number(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<::uid_t> user_named(const std::string& name) {
  std::optional<::uid_t> user = as_number(name);
  if (!user) {
    look_up<::passwd>(
        [&name](auto* record, char* memory, std::size_t size, auto** found) {
          return ::getpwnam_r(name.c_str(), record, memory, size, found);
        },
        [&user](const ::passwd& found) { user = found.pw_uid; });
  }
  return user;
}

std::optional<::gid_t> group_named(const std::string& name) {
  std::optional<::gid_t> group = as_number(name);
  if (!group) {
    look_up<::group>(
        [&name](auto* record, char* memory, std::size_t size, auto** found) {
          return ::getgrnam_r(name.c_str(), record, memory, size, found);
        },
        [&group](const ::group& found) { group = found.gr_gid; });
  }
  return group;
}

template <class T>
bool contains(const std::vector<T>& list, T item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

Trust::Trust() : users_{0, ::geteuid()} {}

Result<Trust> Trust::parse(std::string_view list) {
  const auto wrong = [](std::string message) {
    return Error{.kind = ErrorKind::invalid,
                 .message = std::move(message),
                 .advice = "use 'user:NAME' or 'group:NAME', separated by commas",
                 .place = {.stage = "options"}};
  };
  Trust trust;
  while (true) {
    const std::size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    const std::size_t colon = part.find(':');
    const std::string_view kind = part.substr(0, colon);
    const std::string name(colon == std::string_view::npos ? "" : part.substr(colon + 1));
    if (name.empty() || (kind != "user" && kind != "group")) {
      return wrong(fmt::format("cache_trust must name users and groups, got '{}'", part));
    }
    const auto user = kind == "user" ? user_named(name) : std::nullopt;
    const auto group = kind == "group" ? group_named(name) : std::nullopt;
    if (!user && !group) {
      return wrong(fmt::format("cache_trust: there is no {} '{}' on this machine", kind, name));
    }
    user ? trust.users_.push_back(*user) : trust.named_.push_back(*group);
    if (comma == std::string_view::npos) {
      return trust;
    }
    list.remove_prefix(comma + 1);
  }
}

bool Trust::names_group(::gid_t group) const { return contains(named_, group); }

bool Trust::writable_by_others(const Ownership& found) const {
  const bool by_group = (found.mode & S_IWGRP) != 0 && found.group != 0 && !names_group(found.group) &&
                        private_group(::geteuid()) != found.group;
  return by_group || (found.mode & S_IWOTH) != 0;
}

std::string Trust::objection(const Ownership& found, bool shared) const {
  if (!contains(users_, found.user) && (shared || !names_group(found.group))) {
    return fmt::format("belongs to {}", name_of_user(found.user));
  }
  if (writable_by_others(found)) {
    return fmt::format("can be written by {}", (found.mode & S_IWOTH) != 0
                                                   ? std::string("everyone")
                                                   : fmt::format("group {}", found.group));
  }
  return {};
}

std::string Trust::folder_objection(const Ownership& found) const {
  // With the sticky bit only the owner of an entry, and that of the folder, may rename or delete it.
  Ownership judged = found;
  judged.mode &= (found.mode & S_ISVTX) != 0 ? ~::mode_t{S_IWGRP | S_IWOTH} : ~::mode_t{0};
  return objection(judged, false);
}

}  // namespace penstock::inline v0
