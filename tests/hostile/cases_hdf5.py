"""HDF5 files: written by h5py, then changed."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from case import CannotBeMade, Case, Used

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None

SIGNATURE = b"TREE"
LINKS, CHUNKS = b"\0", b"\1"


def write(folder: Path, rows: int = 100, **others: Any) -> Path:
    """`others` come first, so that there is something behind them."""
    if h5py is None:
        raise CannotBeMade("without h5py")
    with h5py.File(folder / "a.h5", "w", libver="earliest") as file:
        for name, (data, chunks) in others.items():
            file.create_dataset(name, data=data, chunks=chunks)
        file.create_dataset("waveform", data=np.ones((rows, 16), np.float32))
        file.create_dataset("labels", data=np.zeros(rows, np.int64))
    return folder / "a.h5"


def change(path: Path, old: bytes, new: bytes, count: int = 1) -> None:
    """The data type of texts, as it stands in a message, say."""
    data = path.read_bytes()
    if old not in data:
        raise AssertionError(f"{old!r} is not in the file")
    path.write_bytes(data.replace(old, new, count))


def long_texts_in_short_chunks(folder: Path) -> Used:
    """Names of 3,000 bytes whose chunks lie 8 bytes apart: each overlaps those behind it."""
    names = np.array([b"12345678"] * 60_000) if h5py else None
    path = write(folder, rows=4000, label_names=(names, (1,)))
    change(path, b"\x13\1\0\0" + struct.pack("<I", 8), b"\x13\1\0\0" + struct.pack("<I", 3000))
    return Used(path, says="larger than the file")


def rows_at_one_address(folder: Path) -> Used:
    """Every entry of the tree names the same chunk."""
    rows = 20_000
    path = write(folder, rows, mel=(np.ones((rows, 4), np.float32) if h5py else None, (1, 4)))
    data = bytearray(path.read_bytes())
    address = None
    at = data.find(SIGNATURE + CHUNKS + b"\0")
    while at >= 0:
        entries = struct.unpack_from("<H", data, at + 6)[0]
        for i in range(entries):
            child = at + 24 + i * 40 + 32
            if address is None:
                (address,) = struct.unpack_from("<Q", data, child)
            struct.pack_into("<Q", data, child, address)
        at = data.find(SIGNATURE + CHUNKS + b"\0", at + 1)
    path.write_bytes(data)
    return Used(path, says="20000 samples")


def many_names(folder: Path) -> Used:
    names = np.array([b"1"] * 1_100_000) if h5py else None
    return Used(write(folder, label_names=(names, None)), says="1000000")


def names_within_the_limit(folder: Path) -> Used:
    names = np.array([b"1"] * 900_000) if h5py else None
    return Used(write(folder, label_names=(names, None)), says="100 samples")


def claimed_rows(folder: Path) -> Used:
    path = write(folder)
    change(path, struct.pack("<QQ", 100, 16), struct.pack("<QQ", 1 << 40, 16))
    return Used(path, says="Error")


def claimed_row_size(folder: Path) -> Used:
    path = write(folder)
    change(path, struct.pack("<QQ", 100, 16), struct.pack("<QQ", 100, 1 << 40))
    return Used(path, says="Error")


def tree_that_holds_itself(folder: Path) -> Used:
    path = write(folder, mel=(np.ones((2000, 4), np.float32) if h5py else None, (1, 4)))
    data = bytearray(path.read_bytes())
    at = data.find(SIGNATURE + CHUNKS)
    while at >= 0:
        level = data[at + 5]
        data[at + 5] = max(level, 1)
        for i in range(struct.unpack_from("<H", data, at + 6)[0]):
            struct.pack_into("<Q", data, at + 24 + i * 40 + 32, at)
        at = data.find(SIGNATURE + CHUNKS, at + 1)
    path.write_bytes(data)
    return Used(path, says="does not end")


def group_that_holds_itself(folder: Path) -> Used:
    path = write(folder)
    data = bytearray(path.read_bytes())
    at = data.find(SIGNATURE + LINKS)
    data[at + 5] = 1
    for i in range(max(1, struct.unpack_from("<H", data, at + 6)[0])):
        struct.pack_into("<Q", data, at + 24 + i * 16 + 8, at)
    path.write_bytes(data)
    return Used(path, says="Error")


def header_of(folder: Path, messages: int = 2000, blocks: int = 1, padding: int = 0) -> Path:
    """The object header of the waveform has so many messages in all, in so many blocks beside its first, each of them
    with so many bytes of padding. It lies in the bytes of another data set."""
    prefix, message, continuation, largest = 16, 8, 24, 65528
    paddings = padding // (message + largest)
    size = continuation + paddings * (message + largest)
    first = continuation + (messages - 1 - (blocks - 1) * (1 + paddings)) * message
    room = np.zeros(prefix + first + blocks * size, np.uint8) if h5py else None
    path = write(folder, room=(room, None))
    with h5py.File(path) as file:
        begin = file["room"].id.get_offset()
        waveform = h5py.h5o.get_info(file["waveform"].id).addr
    header = struct.pack("<BxHIIxxxx", 1, min(messages, 65535), 1, first)
    for i in range(blocks):
        # The last one is empty.
        following = size if i + 1 < blocks else 0
        header += struct.pack("<HHBxxxQQ", 16, 16, 0, begin + prefix + first + i * size, following)
        header += bytes(first - continuation) if i == 0 else padded_message(largest) * paddings
    data = bytearray(path.read_bytes())
    data[begin : begin + len(header)] = header
    path.write_bytes(data)
    change(path, struct.pack("<Q", waveform), struct.pack("<Q", begin))
    return path


def padded_message(size: int) -> bytes:
    return struct.pack("<HHBxxx", 0, size, 0) + bytes(size)


ENDLESS = "an object header does not end"


def header_of_many_messages(folder: Path) -> Used:
    return Used(header_of(folder, messages=65_537), says=ENDLESS)


def header_of_many_blocks(folder: Path) -> Used:
    return Used(header_of(folder, blocks=1025), says=ENDLESS)


def large_header(folder: Path) -> Used:
    return Used(header_of(folder, blocks=17, padding=1 << 20), says=ENDLESS)


def header_within_the_limits(folder: Path) -> Used:
    """As the three before, each with less by one: read, and found to say nothing of the data."""
    return Used(header_of(folder, messages=65_536, blocks=1024), says="waveform is not a data set")


def largest_header(folder: Path) -> Used:
    return Used(header_of(folder, blocks=16, padding=1 << 20), says="waveform is not a data set")


def many_objects(folder: Path) -> Used:
    if h5py is None:
        raise CannotBeMade("without h5py")
    path = write(folder)
    with h5py.File(path, "a") as file:
        for i in range(66_000):
            file[f"link{i}"] = h5py.SoftLink("/waveform")
    return Used(path, says="Error")


def long_name(folder: Path) -> Used:
    if h5py is None:
        raise CannotBeMade("without h5py")
    path = write(folder)
    with h5py.File(path, "a") as file:
        file["n" * 30_000] = h5py.SoftLink("/waveform")
    return Used(path, says="100 samples")  # nobody asks for it


def links_one_behind_the_other(folder: Path) -> Used:
    if h5py is None:
        raise CannotBeMade("without h5py")
    path = write(folder)
    with h5py.File(path, "a") as file:
        file.move("waveform", "step0")
        for i in range(20):
            file[f"step{i + 1}"] = h5py.SoftLink(f"/step{i}")
        file["waveform"] = h5py.SoftLink("/step20")
    return Used(path, says="Error")


def links_in_a_circle(folder: Path) -> Used:
    if h5py is None:
        raise CannotBeMade("without h5py")
    with h5py.File(folder / "a.h5", "w") as file:
        file["waveform"] = h5py.SoftLink("/mel")
        file["mel"] = h5py.SoftLink("/waveform")
    return Used(folder / "a.h5", says="Error")


CASES = [
    Case(f"hdf5: {make.__name__.replace('_', ' ')}", make)
    for make in (
        long_texts_in_short_chunks,
        rows_at_one_address,
        many_names,
        names_within_the_limit,
        claimed_rows,
        claimed_row_size,
        tree_that_holds_itself,
        group_that_holds_itself,
        header_of_many_messages,
        header_of_many_blocks,
        large_header,
        header_within_the_limits,
        largest_header,
        many_objects,
        long_name,
        links_one_behind_the_other,
        links_in_a_circle,
    )
]
