"""A file that a program has mapped, some of whose pages do not come: as on a network disk that does not answer.

The kernel's userfaultfd holds up whoever touches them until release(), which hands over what is in the file.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import select
from pathlib import Path
from types import TracebackType

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

_SYS_USERFAULTFD = {"x86_64": 323, "aarch64": 282}
_USER_MODE_ONLY = 1  # what programs without privileges may have
_MAP_FIXED = 0x10
_UFFDIO_API, _UFFDIO_REGISTER, _UFFDIO_COPY = 0xC018AA3F, 0xC020AA00, 0xC028AA03
_MODE_MISSING = 1


def _checked(value: int, doing: str) -> int:
    if value in (-1, None, ctypes.c_void_p(-1).value):
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")
    return value


def _ioctl(descriptor: int, request: int, *words: int) -> None:
    block = (ctypes.c_uint64 * len(words))(*words)
    _checked(_libc.ioctl(descriptor, ctypes.c_ulong(request), block), f"userfaultfd, request {request:#x}")


def _new_descriptor() -> int:
    number = _SYS_USERFAULTFD.get(platform.machine())
    if number is None:
        raise OSError(f"no number of userfaultfd is known for {platform.machine()}")
    return _checked(_libc.syscall(number, os.O_CLOEXEC | os.O_NONBLOCK | _USER_MODE_ONLY), "userfaultfd")


def why_not() -> str:
    """Why this system cannot do it; empty if it can."""
    try:
        os.close(_new_descriptor())
    except OSError as error:
        return str(error)
    return ""


class StalledPages:
    """The pages of [offset, offset + size) of every mapping of `path` that this process has now."""

    def __init__(self, path: Path, offset: int, size: int) -> None:
        page = mmap.PAGESIZE
        begin, end = offset // page * page, -(-(offset + size) // page) * page
        content = path.read_bytes()[begin:end].ljust(end - begin, b"\0")
        self._content = ctypes.create_string_buffer(content, len(content))
        self._places = [address + begin for address in _mappings(path, end)]
        if not self._places:
            raise ValueError(f"this process has not mapped {path} up to byte {end}")
        self._descriptor = _new_descriptor()
        _ioctl(self._descriptor, _UFFDIO_API, 0xAA, 0, 0)
        for place in self._places:
            protection, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_FIXED
            _checked(_libc.mmap(place, len(content), protection, flags, -1, 0), "mmap")
            _ioctl(self._descriptor, _UFFDIO_REGISTER, place, len(content), _MODE_MISSING, 0)

    def wait_until_touched(self, seconds: float = 60) -> None:
        """Returns when somebody is held up."""
        if not select.select([self._descriptor], [], [], seconds)[0]:
            raise TimeoutError(f"nobody touched the pages within {seconds} s")

    def release(self) -> None:
        """The pages come, and go on to be there. More than once does no harm."""
        if self._descriptor < 0:
            return
        source = ctypes.addressof(self._content)
        for place in self._places:
            _ioctl(self._descriptor, _UFFDIO_COPY, place, source, len(self._content), 0, 0)
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> StalledPages:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()


def _mappings(path: Path, end: int) -> list[int]:
    """Where this process has mapped the file from its first byte to at least the page before `end`."""
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        words = line.split(maxsplit=5)
        if len(words) == 6 and words[5] == str(path.resolve()) and int(words[2], 16) == 0:
            first, last = (int(word, 16) for word in words[0].split("-"))
            if last - first >= end:
                found.append(first)
    return found
