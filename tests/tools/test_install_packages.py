"""tools/install_packages.sh on machines that this one is not: each fake program on PATH plays a part."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "install_packages.sh"
# Programs that the script itself calls; the rest of the real PATH stays out of sight.
REAL_PROGRAMS = ("bash", "env", "tr", "sed", "cat")


class Machine:
    """A folder of programs that stands for a machine; calls to the fake ones are recorded."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        self.libraries = folder / "libraries"  # exists once the -dev packages are installed
        self.bin.mkdir()
        self.calls.touch()
        for name in REAL_PROGRAMS:
            real = shutil.which(name)
            assert real is not None
            (self.bin / name).symlink_to(real)
        for name in ("g++", "python3"):
            self.add(name, "exit 0")
        self.add("pkg-config", f"test -e {self.libraries}")
        self.be_user(0)

    def add(self, name: str, body: str) -> None:
        program = self.bin / name
        program.write_text(f'#!/bin/bash\necho "{name} $*" >> {self.calls}\n{body}\n')
        program.chmod(0o755)

    def be_user(self, uid: int) -> None:
        self.add("id", f"echo {uid}")

    def add_apt(self, *, works: bool = True) -> None:
        install = f"[ $1 = install ] && {'touch ' + str(self.libraries) if works else 'exit 100'}; exit 0"
        self.add("apt-get", install)
        self.add("apt-cache", "exit 0")
        touch = shutil.which("touch")
        assert touch is not None
        (self.bin / "touch").symlink_to(touch)

    def run(self, task: str = "demo") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.bin / "bash"), str(SCRIPT), task],
            env={"PATH": str(self.bin), "HOME": os.environ.get("HOME", "/")},
            capture_output=True,
            text=True,
            check=False,
        )

    def called(self, name: str) -> list[str]:
        return [line for line in self.calls.read_text().splitlines() if line.split()[0] == name]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_does_nothing_when_all_is_there(machine: Machine) -> None:
    machine.libraries.touch()
    machine.add_apt()
    result = machine.run()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert machine.called("apt-get") == []


def test_needs_no_apt_when_all_is_there(machine: Machine) -> None:
    machine.libraries.touch()
    assert machine.run().returncode == 0


def test_root_installs_without_sudo(machine: Machine) -> None:
    machine.add_apt()
    machine.add("sudo", "exit 1")
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert machine.called("sudo") == []
    install = machine.called("apt-get")[-1]
    libraries = ("libjpeg-dev", "libspng-dev", "libwebp-dev", "libzstd-dev", "libhwy-dev", "libfmt-dev", "libcli11-dev")
    for package in libraries:
        assert package in install
        assert package in result.stdout
    assert "g++" not in install


def test_installs_a_compiler_where_there_is_none(machine: Machine) -> None:
    machine.add_apt()
    (machine.bin / "g++").unlink()
    machine.run()
    assert " g++ " in machine.called("apt-get")[-1]


def test_user_installs_with_sudo_and_is_told(machine: Machine) -> None:
    machine.add_apt()
    machine.be_user(1000)
    machine.add("sudo", '"$@"')
    result = machine.run()
    assert result.returncode == 0, result.stderr
    assert len(machine.called("sudo")) == 2
    assert "sudo apt-get" in result.stdout


def test_user_without_sudo_is_told_what_root_must_run(machine: Machine) -> None:
    machine.add_apt()
    machine.be_user(1000)
    result = machine.run()
    assert result.returncode == 1
    assert "no sudo" in result.stderr
    assert "apt-get install -y" in result.stderr
    assert "libspng-dev" in result.stderr
    assert machine.called("apt-get") == []


def test_other_systems_are_told_the_package_names(machine: Machine) -> None:
    result = machine.run()
    assert result.returncode == 1
    assert "no apt-get" in result.stderr
    assert "libspng-dev" in result.stderr


def test_failed_installation_says_what_to_do(machine: Machine) -> None:
    machine.add_apt(works=False)
    result = machine.run()
    assert result.returncode == 1
    assert "by hand" in result.stderr


def test_refused_sudo_says_what_to_do(machine: Machine) -> None:
    machine.add_apt()
    machine.be_user(1000)
    machine.add("sudo", "exit 1")
    result = machine.run()
    assert result.returncode == 1
    assert "sudo apt-get install -y" in result.stderr


def test_takes_the_compiler_that_the_release_has(machine: Machine) -> None:
    machine.add_apt()
    machine.add("apt-cache", "[ $2 != clang-14 ]")
    machine.run("test")
    install = machine.called("apt-get")[-1]
    assert " clang-18 libclang-rt-18-dev " in install
    assert "clang-14" not in install
    assert " g++-aarch64-linux-gnu libc6-dev-arm64-cross" in install


def test_refuses_an_unknown_task(machine: Machine) -> None:
    assert machine.run("party").returncode == 2
