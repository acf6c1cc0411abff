"""Nothing hangs, nothing stays: threads, descriptors, memory, signals, exits."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import textwrap
import threading
import time
from pathlib import Path

import pytest
from conftest import draw, encode

import penstock
import stalled_pages

CROP = penstock.transforms.CenterCrop(60)


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def anonymous_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no RssAnon in /proc/self/status")


def run(program: str, **kwargs) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=300,  # a loaded machine takes its time to import torch
        check=False,
        **kwargs,
    )


def test_a_thousand_batches_leave_memory_threads_and_descriptors_flat(shards):
    loader = penstock.Loader(
        shards, batch_size=8, shuffle=True, num_workers=2, transforms=penstock.presets.imagenet_train(48)
    )
    for _ in range(10):
        for _batch in loader:
            pass
    before = (threads(), descriptors())
    memory = anonymous_bytes()
    batches = 0
    while batches < 1000:
        for _batch in loader:
            batches += 1
    assert (threads(), descriptors()) == before
    assert anonymous_bytes() - memory < 4 << 20


def test_keeping_the_labels_of_an_epoch_does_not_keep_its_images(shards):
    loader = penstock.Loader(shards, batch_size=8, num_workers=2, transforms=penstock.presets.imagenet_train(96))
    one_batch = 8 * 3 * 96 * 96 * 4
    kept = [(batch["label"], batch["index"]) for _ in range(10) for batch in loader]
    assert len(kept) > 50
    assert loader.stats()["buffer_bytes"] < 6 * one_batch
    assert all(len(label) == len(index) for label, index in kept)


@pytest.mark.skipif(stalled_pages.why_not() != "", reason=stalled_pages.why_not())
@pytest.mark.parametrize("workers", [1, 2])
def test_a_stalled_source_raises_in_time_and_loses_nothing(make_tar, workers):
    members = [(f"{number}.jpg", encode(draw(number, 90, 90))) for number in range(8)]
    path = Path(make_tar(members))
    whole = [batch["image"].copy() for batch in penstock.Loader(path, batch_size=4, output="numpy", transforms=[CROP])]
    loader = penstock.Loader(
        path, batch_size=4, num_workers=workers, timeout_seconds=0.3, output="numpy", transforms=[CROP]
    )
    with tarfile.open(path) as archive:
        last_page = archive.getmember("7.jpg").offset_data + len(members[7][1]) - 1

    def next_at_last(iterator):
        """What comes before the stalled page; a loaded machine may need several times the timeout."""
        while True:
            try:
                return next(iterator, None)
            except penstock.TimeoutError:
                continue

    with stalled_pages.StalledPages(path, last_page, 1) as stalled:
        iterator = iter(loader)
        images = [next_at_last(iterator)["image"]]
        stalled.wait_until_touched()
        named = 0
        while named < 2:  # other samples may be on their way yet
            start = time.monotonic()
            with pytest.raises(penstock.TimeoutError, match="decode and transform .longest: sample [4-7],") as caught:
                next(iterator)
            assert isinstance(caught.value, TimeoutError)
            assert time.monotonic() - start >= 0.3
            named += "sample 7," in str(caught.value)
    while (batch := next_at_last(iterator)) is not None:
        images.append(batch["image"])
    assert len(images) == len(whole)
    assert all((a == b).all() for a, b in zip(images, whole, strict=True))


def test_two_hundred_abandoned_iterators_leave_nothing(shards):
    gc.collect()
    before = (threads(), descriptors())
    loader = penstock.Loader(shards, batch_size=4, num_workers=2, transforms=penstock.presets.imagenet_train(16))
    for _ in range(100):
        iterator = iter(loader)
        next(iterator)
    assert threads() == before[0] + 2
    for _ in range(100):
        next(iter(penstock.Loader(shards, batch_size=4, num_workers=2)))
    del loader, iterator
    gc.collect()
    assert (threads(), descriptors()) == before


def test_interrupt_works_while_waiting(tmp_path: Path, shards):
    program = f"""
        import penstock, os, signal, threading
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits "ignore"
        asked, resume = threading.Event(), threading.Event()

        def wait_for_the_interrupt(array):
            if threading.current_thread() is not threading.main_thread() and not resume.is_set():
                asked.wait()
                threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
                resume.wait()
            return array

        loader = penstock.Loader({shards!r}, batch_size=60, num_workers=1, timeout_seconds=None, output="numpy",
                                 transforms=[penstock.transforms.CenterCrop(8), wait_for_the_interrupt])
        iterator = iter(loader)
        try:
            asked.set()
            next(iterator)
        except KeyboardInterrupt:
            print("interrupted")
        resume.set()
        print(len(next(iterator)["index"]))
    """
    done = run(program)
    assert done.stdout.split() == ["interrupted", "60"], done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("on_error", ["raise", "skip", "replace"])
def test_interrupt_in_a_function_of_the_caller_loses_no_sample(shards, on_error):
    program = f"""
        import penstock, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        calls = None

        def interrupted_once(array):
            global calls
            calls = None if calls is None else calls + 1
            if calls == 6:
                signal.raise_signal(signal.SIGINT)
            return array

        loader = penstock.Loader({shards!r}, batch_size=4, num_workers=0, output="numpy", on_error={on_error!r},
                                 transforms=[penstock.transforms.CenterCrop(8), interrupted_once])
        calls = 0
        iterator = iter(loader)
        seen = next(iterator)["index"].tolist()
        state = loader.state_dict()
        try:
            next(iterator)
        except KeyboardInterrupt:
            print("interrupted", loader.state_dict() == state, loader.errors())
        for batch in iterator:
            seen += batch["index"].tolist()
        print(seen == list(range(60)))
    """
    done = run(program)
    assert done.stdout.split() == ["interrupted", "True", "[]", "True"], done.stderr


@pytest.mark.skipif(stalled_pages.why_not() != "", reason=stalled_pages.why_not())
def test_interrupt_works_while_a_new_epoch_waits_for_a_stuck_worker(make_tar):
    members = [(f"{number}.jpg", encode(draw(number, 90, 90))) for number in range(8)]
    path = Path(make_tar(members))
    with tarfile.open(path) as archive:
        last_page = archive.getmember("7.jpg").offset_data + len(members[7][1]) - 1
    done = run(f"""
        import sys
        sys.path.insert(0, {str(Path(stalled_pages.__file__).parent)!r})
        import os, signal, threading
        from pathlib import Path
        import penstock, stalled_pages
        waiting, interrupted = threading.Event(), threading.Event()

        def interrupt(*_):
            if waiting.is_set():
                waiting.clear()
                interrupted.set()
                raise KeyboardInterrupt

        def send_signals():
            while not interrupted.wait(0.05):
                os.kill(os.getpid(), signal.SIGINT)

        signal.signal(signal.SIGINT, interrupt)
        loader = penstock.Loader({str(path)!r}, batch_size=4, num_workers=2, timeout_seconds=None, output="numpy")
        with stalled_pages.StalledPages(Path({str(path)!r}), {last_page}, 1) as stalled:
            next(iter(loader))
            stalled.wait_until_touched()
            threading.Thread(target=send_signals).start()
            try:
                waiting.set()
                iter(loader)
            except KeyboardInterrupt:
                print("interrupted")
            interrupted.set()
        print(sum(len(batch["index"]) for batch in loader))
    """)
    assert done.stdout.split() == ["interrupted", "8"], done.stderr


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "sys.exit(0)",
        "del loader",
        "it = iter(loader); next(it); sys.exit(0)",
        "loader.cycle = loader",
        "loader.close(); loader.close()",
    ],
)
def test_interpreter_exit_is_clean(shards, ending):
    program = f"""
import sys, penstock
loader = penstock.Loader({shards!r}, batch_size=4, num_workers=3, transforms=penstock.presets.imagenet_train(64))
it = iter(loader)
batch = next(it)
image = batch["image"]
{ending}
"""
    done = run(program)
    assert (done.returncode, done.stderr) == (0, ""), done


def test_exception_in_the_loop_ends_cleanly(shards):
    done = run(f"""
        import penstock
        for batch in penstock.Loader({shards!r}, batch_size=4, num_workers=2):
            raise SystemExit(3)
    """)
    assert (done.returncode, done.stderr) == (3, "")


def test_other_threads_run_while_the_loader_waits(shards):
    loader = penstock.Loader(
        shards, batch_size=60, num_workers=1, transforms=[penstock.transforms.Resize([1500, 1500])]
    )
    ticks = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    next(iter(loader))
    spent = time.monotonic() - start
    stop.set()
    thread.join()
    loader.close()
    # None if the lock of the interpreter were held; how many depends on what else the machine does.
    assert len([t for t in ticks if start + 0.1 * spent <= t <= start + 0.9 * spent]) > 2


def test_two_threads_may_share_a_loader(shards):
    loader = penstock.Loader(shards, batch_size=2, shuffle=True, num_workers=2)
    iterator = iter(loader)
    seen: list[int] = []

    def consume() -> None:
        for batch in iterator:
            seen.extend(batch["index"].tolist())

    workers = [threading.Thread(target=consume) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(seen) == list(range(60))


def test_idle_loader_burns_no_cpu(shards):
    loader = penstock.Loader(shards, batch_size=4, num_workers=4, transforms=penstock.presets.imagenet_train(16))
    next(iter(loader))
    spent = []
    while len(spent) < 20 and min(spent, default=1) >= 0.05:  # until what is prepared ahead is prepared
        before = time.process_time()
        time.sleep(1.0)
        spent.append(time.process_time() - before)
    assert spent[-1] < 0.05


def test_signals_go_to_the_program_not_to_the_workers(shards):
    got = []
    previous = signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
    try:
        loader = penstock.Loader(shards, batch_size=4, num_workers=2, transforms=penstock.presets.imagenet_train(64))
        for batch in loader:
            os.kill(os.getpid(), signal.SIGUSR1)
            assert len(batch["index"]) > 0
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert got


def test_works_without_torch(shards):
    done = run(f"""
        import sys
        sys.modules["torch"] = None
        import importlib.util
        real = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *a: None if name == "torch" else real(name, *a)
        import penstock
        batch = next(iter(penstock.Loader({shards!r}, batch_size=4, transforms=penstock.presets.imagenet_val(32))))
        print(type(batch["image"]).__module__, batch["image"].shape)
    """)
    assert done.stdout.strip() == "numpy (4, 3, 32, 32)", done.stderr


#: Opening a file of that name waits forever, as on a network disk that does not answer.
STUCK_OPEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_if_stuck(const char* path) {
  while (strstr(path, "stuck.tar") != NULL) pause();
}
#define MODE(last) va_list rest; va_start(rest, last); mode_t mode = va_arg(rest, mode_t); va_end(rest)
#define OPEN(name)                                                                     \
  int name(const char* path, int flags, ...) {                                         \
    MODE(flags);                                                                       \
    wait_if_stuck(path);                                                               \
    return ((int (*)(const char*, int, mode_t))dlsym(RTLD_NEXT, #name))(path, flags, mode); \
  }
#define OPENAT(name)                                                                   \
  int name(int folder, const char* path, int flags, ...) {                             \
    MODE(flags);                                                                       \
    wait_if_stuck(path);                                                               \
    return ((int (*)(int, const char*, int, mode_t))dlsym(RTLD_NEXT, #name))(folder, path, flags, mode); \
  }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler to make a disk that does not answer")
def test_interrupt_works_while_a_data_set_waits_for_its_source(tmp_path: Path):
    (tmp_path / "stuck.c").write_text(STUCK_OPEN)
    library = tmp_path / "stuck.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "stuck.c", "-ldl"], check=True)
    source = tmp_path / "stuck.tar"
    with tarfile.open(source, "w"):
        pass
    program = f"""
        import os, signal, threading
        import penstock
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            penstock.Dataset({str(source)!r})
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = run(program, env={**os.environ, "LD_PRELOAD": str(library)})
    assert done.stdout.split() == ["interrupted"], done.stderr
    assert done.returncode == 0
