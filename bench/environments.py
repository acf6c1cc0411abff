"""One virtual environment per library: what goes in, and how it is made. Standard library only.

The pins of the rivals clash, so none shares an environment. torch is always installed first and alone, at one
version; after every later step the environment is checked to still hold that torch.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
REPOSITORY = str(BENCH.parent)
TORCH = ("torch==2.13.0",)
STAMP = "penstock-bench.json"


class InstallError(Exception):
    """An environment could not be made; the text says which step failed and where its log is."""


@dataclass(frozen=True)
class Environment:
    """The pip steps of one environment, in order, each a list of pip arguments; {root} is where environments live."""

    steps: tuple[tuple[str, ...], ...]
    debian: tuple[str, ...] = ()  # packages that the build needs from the system
    packages: tuple[str, ...] = ()  # whose versions go into the results
    probe: str = ""  # an import that must work

    @property
    def torch(self) -> bool:
        return TORCH in self.steps


ENVIRONMENTS: dict[str, Environment] = {
    # Makes the data and the reference images; belongs to no library under test.
    "tools": Environment(
        steps=(("numpy", "pillow"),),
        packages=("numpy", "pillow"),
        probe="import numpy, PIL.Image",
    ),
    "penstock": Environment(
        steps=(
            TORCH,
            ("numpy",),
            ("--no-deps", "--force-reinstall", "-C", "build-dir={root}/penstock-build", REPOSITORY),
        ),
        packages=("penstock", "torch", "numpy"),
        probe="import torch, penstock",
    ),
    # bench/audio: reading, features and the build of HDF5 files.
    "audio": Environment(
        steps=(
            TORCH,
            ("librosa==0.11.0", "h5py==3.16.0", "soundfile==0.14.0", "numpy"),
            ("--no-deps", "--force-reinstall", "-C", "build-dir={root}/audio-build", REPOSITORY),
        ),
        debian=("libhdf5-dev", "libsndfile1-dev", "libsoxr-dev"),
        packages=("penstock", "torch", "librosa", "numpy"),
        probe="import torch, librosa, penstock",
    ),
    # bench/micro/transforms: all libraries in one process, since each call is short.
    "transforms": Environment(
        steps=(
            TORCH,
            ("numpy", "pillow", "albumentations==2.0.8"),
            ("--no-deps", "torchvision==0.28.0", "kornia==0.9.0", "kornia_rs==0.2.0"),
            ("--no-deps", "--force-reinstall", "-C", "build-dir={root}/transforms-build", REPOSITORY),
        ),
        packages=("penstock", "torch", "torchvision", "pillow", "albumentations", "kornia", "numpy"),
        probe="import torch, albumentations, penstock",
    ),
    "pytorch": Environment(
        steps=(TORCH, ("numpy", "pillow"), ("--no-deps", "torchvision==0.28.0")),
        packages=("torch", "torchvision", "pillow", "numpy"),
        probe="import torch, PIL.Image",
    ),
    "ffcv": Environment(
        steps=(
            TORCH,
            ("numba", "numpy<2.3", "opencv-python-headless", "pillow", "wheel"),
            (
                "pandas",
                "fastargs",
                "matplotlib",
                "scikit-learn",
                "imgcat",
                "pytorch-pfn-extras",
                "assertpy",
                "tqdm",
                "psutil",
                "terminaltables",
            ),
            ("--no-build-isolation", "--no-deps", "ffcv==1.0.2"),
        ),
        debian=("libturbojpeg0-dev", "libopencv-dev", "pkg-config"),
        packages=("ffcv", "torch", "numpy", "numba", "opencv-python-headless"),
        probe="import torch, ffcv",
    ),
    "dali": Environment(
        steps=(("nvidia-dali-cuda120",),),
        packages=("nvidia-dali-cuda120", "numpy"),
        probe="import nvidia.dali",
    ),
    "turboloader": Environment(
        steps=(("turboloader",),),
        packages=("turboloader", "numpy"),
        probe="import turboloader",
    ),
    "tfdata": Environment(
        steps=(("tensorflow-cpu",),),
        packages=("tensorflow-cpu", "numpy"),
        probe="import tensorflow",
    ),
    "webdataset": Environment(
        steps=(TORCH, ("numpy", "pillow"), ("--no-deps", "torchvision==0.28.0"), ("webdataset==1.0.2",)),
        packages=("webdataset", "torch", "torchvision", "pillow", "numpy"),
        probe="import torch, webdataset",
    ),
}


#: Other ways to use a library that has an environment already.
SHARED = {"pytorch_tuned": "pytorch", "penstock_store": "penstock", "penstock_raw": "penstock"}


def home(library: str) -> str:
    """The environment that a library's workload files run in."""
    return SHARED.get(library, library)


def root() -> Path:
    """The folder that holds the environments."""
    return Path(os.environ.get("PENSTOCK_BENCH_ENVS", BENCH / ".envs")).resolve()


def python(name: str) -> Path:
    return root() / name / "bin" / "python"


def ensure(name: str) -> Path:
    """Makes the environment if it is missing or out of date, and returns its Python. Raises InstallError."""
    environment = ENVIRONMENTS[name]
    stamp = root() / name / STAMP
    wanted = _fingerprint(name, environment)
    if stamp.exists() and json.loads(stamp.read_text()).get("fingerprint") == wanted:
        return python(name)
    _check_debian(name, environment)
    log = root() / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    stamp.unlink(missing_ok=True)
    if not python(name).exists():
        shutil.rmtree(root() / name, ignore_errors=True)
        _run(name, [sys.executable, "-m", "venv", str(root() / name)], log)
    for step in environment.steps:
        step_here = [argument.replace("{root}", str(root())) for argument in step]
        _run(name, [str(python(name)), "-m", "pip", "install", *step_here], log)
        if environment.torch:
            _check_torch(name, log)
    _run(name, [str(python(name)), "-c", environment.probe], log)
    stamp.write_text(json.dumps({"fingerprint": wanted, "versions": versions(name)}, indent=1))
    return python(name)


def versions(name: str) -> dict[str, str]:
    """The installed versions of the packages that matter for this environment."""
    listed = json.loads(_pip(name, "list", "--format=json"))
    installed = {row["name"].lower().replace("_", "-"): row["version"] for row in listed}
    return {package: installed.get(package, "missing") for package in ENVIRONMENTS[name].packages}


def _fingerprint(name: str, environment: Environment) -> str:
    digest = hashlib.sha256(repr((sys.version, environment)).encode())
    if any(REPOSITORY in step for step in environment.steps):
        for path in _sources():
            digest.update(str(path).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> list[Path]:
    """Every file that the penstock package is built from."""
    tops = [Path(REPOSITORY) / top for top in ("CMakeLists.txt", "pyproject.toml", "cmake", "include", "src", "python")]
    files = [path for top in tops for path in ([top] if top.is_file() else top.rglob("*"))]
    return sorted(path for path in files if path.is_file() and "__pycache__" not in path.parts)


def _check_debian(name: str, environment: Environment) -> None:
    missing = [
        package
        for package in environment.debian
        if subprocess.run(["dpkg", "-s", package], capture_output=True, check=False).returncode != 0
    ]
    if not missing:
        return
    if os.geteuid() != 0:
        raise InstallError(f"{name} needs Debian packages that are missing: sudo apt-get install {' '.join(missing)}")
    done = subprocess.run(["apt-get", "install", "-y", *missing], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InstallError(f"{name}: apt-get install {' '.join(missing)} failed: {done.stderr.strip()[-400:]}")


def _check_torch(name: str, log: Path) -> None:
    listed = json.loads(_pip(name, "list", "--format=json"))
    torches = [row["version"].split("+")[0] for row in listed if row["name"] == "torch"]
    wanted = TORCH[0].split("==")[1]
    if torches != [wanted]:
        raise InstallError(f"{name}: torch {wanted} was replaced by {torches}; log in {log}")


def _pip(name: str, *arguments: str) -> str:
    command = [str(python(name)), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _run(name: str, command: list[str], log: Path) -> None:
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        tail = "\n".join(log.read_text().splitlines()[-8:])
        raise InstallError(f"{name}: '{' '.join(command[1:])}' failed; log in {log}\n{tail}")


def main() -> int:
    names = sys.argv[1:] or list(ENVIRONMENTS)
    failed = 0
    for name in names:
        try:
            ensure(name)
            print(f"{name}: ready {versions(name)}", flush=True)
        except InstallError as error:
            failed += 1
            print(f"{name}: FAILED {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
