"""Kills a program by SIGKILL at random moments and starts it again, until it has had enough; then compares.

    python tests/soak/kills.py [--kills 100] [--seed 0]

The program goes through epoch after epoch, writes down every row, and saves a state after some of its steps, as a
training job does. Each life has other workers, prefetch, batch size, number of ranks, and reads tars, a store, or tars
with a cache that is being built. What all lives have written must be what one worker writes at once, to the byte.
Exits 1 if it is not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import penstock
from soak_data import Sources, make_sources, rows_of, transforms

SEED = 4
PATIENCE_SECONDS = 120.0  # no life takes as long as this to its first step, or to its end, if nothing hangs


def open_loader(source: str, **options: object) -> penstock.Loader:
    return penstock.Loader(source, transforms=transforms(), shuffle=True, seed=SEED, output="numpy", **options)


# --- the program that is killed -------------------------------------------------------------------------------------


def live(source: str, log: Path, saved: Path, life: dict[str, int], cache: str | None, last_epoch: int) -> None:
    """One life: continues from the saved state, if there is one, to the end of `last_epoch`."""
    ranks = [
        open_loader(
            source,
            batch_size=life["batch_size"],
            num_workers=life["num_workers"],
            prefetch=life["prefetch"],
            cache=cache,
            shard_rank=rank,
            shard_world_size=life["ranks"],
        )
        for rank in range(life["ranks"])
    ]
    if saved.exists():
        state = json.loads(saved.read_text())
        for loader in ranks:
            loader.load_state_dict(state["loader"])
        os.truncate(log, state["bytes"])
    steps = 0
    with log.open("ab") as out:
        while ranks[0].state_dict()["epoch"] <= last_epoch:
            left = len(ranks[0].dataset) - ranks[0].state_dict()["position"]
            for batches in zip(*ranks, strict=True):
                rows = [row for batch in batches for row in rows_of(batch)]
                out.write(b"".join(rows[:left]))  # what is more are samples repeated to fill up the ranks
                left -= len(rows)
                out.flush()
                steps += 1
                if steps == 1:
                    print("first step", flush=True)
                if steps % life["save_every"] == 0:
                    fresh = saved.with_suffix(".new")
                    fresh.write_text(json.dumps({"loader": ranks[0].state_dict(), "bytes": out.tell()}))
                    fresh.replace(saved)
    print("finished", flush=True)


# --- who kills it -----------------------------------------------------------------------------------------------------


def settings(choose: random.Random, sources: Sources, cache: Path) -> dict[str, object]:
    life = {
        "num_workers": choose.choice([0, 1, 2, 3]),
        "prefetch": choose.randint(0, 4),
        "batch_size": choose.randint(1, 9),
        "ranks": choose.choice([1, 1, 2, 3, 4]),
        "save_every": choose.randint(1, 6),
    }
    source = choose.choice(["tars", "store", "cached tars"])
    return {
        "life": life,
        "source": sources.store if source == "store" else sources.tars,
        "cache": str(cache) if source == "cached tars" else None,
    }


def wait_for_line(process: subprocess.Popen[str]) -> str:
    """The program's next line; a program that hangs is killed, and says nothing."""
    watch = subprocess.Popen(["sh", "-c", f"sleep {PATIENCE_SECONDS}; kill -9 {process.pid}"], start_new_session=True)
    try:
        assert process.stdout is not None
        return process.stdout.readline().strip()
    finally:
        os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()


def kill_and_restart(kills: int, seed: int, folder: Path) -> str:
    """Empty if the joined stream is the unbroken one, else what is wrong."""
    choose = random.Random(seed)
    sources = make_sources(folder)
    log, saved, cache = folder / "rows", folder / "state", folder / "cache"
    log.touch()

    def start(last_epoch: int) -> subprocess.Popen[str]:
        words = {**settings(choose, sources, cache), "log": str(log), "saved": str(saved), "last_epoch": last_epoch}
        command = [sys.executable, __file__, "--live", json.dumps(words)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    never = 2**40
    at_first_step = 0
    for _ in range(kills):
        process = start(never)
        if choose.random() < 0.85:  # the others are killed while they start, usually
            if wait_for_line(process) != "first step":
                process.kill()
                process.wait()
                return f"a life ended with {process.returncode}, or hung, before its first step"
            at_first_step += 1
        time.sleep(choose.uniform(0.0, 0.5))
        process.kill()
        if process.wait() != -signal.SIGKILL:
            return f"a life ended with {process.returncode} by itself"
    last_epoch = json.loads(saved.read_text())["loader"]["epoch"] + 1 if saved.exists() else 1
    process = start(last_epoch)
    while (line := wait_for_line(process)) == "first step":
        pass
    if process.wait() != 0 or line != "finished":
        return f"the last life ended with {process.returncode}"
    whole = open_loader(sources.tars, batch_size=16, num_workers=1, prefetch=1)
    expected = b"".join(row for _ in range(last_epoch + 1) for batch in whole for row in rows_of(batch))
    got = log.read_bytes()
    rows = len(expected) // 24
    print(f"{kills} kills, {at_first_step} of them at work; {last_epoch + 1} epochs, {rows} rows", flush=True)
    if got == expected:
        return ""
    same = next((i for i in range(rows) if got[24 * i : 24 * i + 24] != expected[24 * i : 24 * i + 24]), rows)
    return f"the joined stream has {len(got) / 24:g} rows, the unbroken one {rows}; they differ from row {same} on"


def main() -> int:
    parser = argparse.ArgumentParser(description="SIGKILL at random moments, resume, compare.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--live", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.live:
        words = json.loads(options.live)
        words["log"], words["saved"] = Path(words["log"]), Path(words["saved"])
        live(**words)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PENSTOCK_CACHE_DIR"] = str(Path(folder) / "index")
        problem = kill_and_restart(options.kills, options.seed, Path(folder))
    print(problem or "the joined stream equals the unbroken one")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
