"""tools/suite_runner.py: a failure anywhere must reach the last line and the exit code."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("suite_runner", ROOT / "tools" / "suite_runner.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "suite_runner", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LOGS", tmp_path / "logs")
    return module


def test_later_suites_run_after_a_failure(runner: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(log: object) -> object:
        raise runner.CommandFailedError("cmake exited with 1")

    outcomes = [
        runner.run_suite("broken", broken),
        runner.run_suite("fine", lambda log: runner.Counts(passed=3, skipped=1, notes=["skipped: x no disk"])),
    ]
    assert runner.summarise(outcomes) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "3 passed, 1 failed"
    assert "broken: cmake exited with 1" in out.splitlines()[-2]  # at the end, which CI keeps
    assert "skipped: x no disk" in out


def test_a_suite_without_tests_fails(runner: ModuleType) -> None:
    assert runner.summarise([runner.run_suite("empty", lambda log: runner.Counts())]) == 1


def test_a_script_must_print_counts(runner: ModuleType) -> None:
    log = runner.Log("script")
    run = {"cwd": ROOT}
    assert runner.counted(log, "quiet", ["true"], **run).failed == 1
    counts = runner.counted(log, "loud", ["echo", "5 passed, 0 failed, 2 skipped"], **run)
    assert (counts.passed, counts.failed, counts.skipped) == (5, 0, 2)
    assert runner.counted(log, "liar", ["bash", "-c", "echo 5 passed, 0 failed; exit 3"], **run).failed == 1


def test_a_command_that_hangs_is_a_failure(runner: ModuleType) -> None:
    with pytest.raises(runner.CommandFailedError, match="did not end within"):
        runner.Log("slow").run(["sleep", "5"], cwd=ROOT, timeout=0.2)


def test_counts_googletest_reports(runner: ModuleType, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite><testcase name='a' status='run' result='completed' classname='s'/>"
        "<testcase name='b' status='run' classname='s'><failure message='x'/><failure message='y'/></testcase>"
        "<testcase name='c' status='run' classname='s'><skipped message='f.cpp:3&#x0A;no AVX-512'/></testcase>"
        "<testcase name='d' status='notrun' result='suppressed' classname='s'/></testsuite></testsuites>"
    )
    counts = runner.junit_counts(report)
    assert (counts.passed, counts.failed, counts.skipped) == (1, 1, 2)
    assert "skipped: s.c f.cpp:3 no AVX-512" in counts.notes
    assert "skipped: s.d is disabled" in counts.notes


def test_counts_pytest_reports(runner: ModuleType, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite><testcase classname='t' name='a'/>"
        "<testcase classname='t' name='b'><failure message='x'/></testcase>"
        "<testcase classname='t' name='c'><error message='x'/></testcase>"
        "<testcase classname='t' name='d'><skipped message='no torch'/></testcase></testsuite></testsuites>"
    )
    counts = runner.junit_counts(report)
    assert (counts.passed, counts.failed, counts.skipped) == (1, 2, 1)
    assert "skipped: t.d no torch" in counts.notes
