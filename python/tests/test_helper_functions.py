"""Which functions run in helper processes, and where those run that cannot."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest
from python_stages import (
    CROP,
    contents,
    invert,
    loader_of,
    run_program,
)

import penstock


def test_what_cannot_be_sent_runs_here_and_says_so(shards):
    plain = contents(loader_of(shards, [CROP, invert], num_workers=0))
    with pytest.warns(RuntimeWarning, match="<lambda>: it cannot be pickled") as caught:
        loader = loader_of(shards, [CROP, lambda array: 255 - array], num_workers=2)
    assert [Path(warning.filename).name for warning in caught] == ["python_stages.py"]
    assert contents(loader) == plain
    (stage,) = loader.stats()["python_stages"]
    assert (stage["function"], stage["runs_in"]) == ("<lambda>", "here")
    assert stage["calls"] >= 60
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loader_of(shards, [CROP, lambda array: 255 - array], num_workers=0)


def test_a_module_that_a_helper_cannot_import_is_named_in_one_line(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import sys, types, warnings
        import penstock
        from penstock import _stages

        if __name__ == "__main__":
            sys.modules["ghost"] = ghost = types.ModuleType("ghost")
            exec("def same(array): return array", ghost.__dict__)
            _stages.round_trip_seconds = lambda array: 0.0
            with warnings.catch_warnings(record=True) as caught:
                operations = [penstock.transforms.CenterCrop(8), ghost.same]
                penstock.Loader({shards!r}, num_workers=1, transforms=operations).close()
            print(caught[0].message)
        """,
    )
    out, err = program.communicate(timeout=120)
    first = out.partition("\n")[0]
    assert "could not start: ModuleNotFoundError: No module named 'ghost'; check that the module" in first, out + err
    assert "\nTraceback (most recent call last):\n" in out


def test_functions_of_an_interactive_session_run_here(shards):
    program = f"""
        import penstock, warnings, time
        from penstock.transforms import CenterCrop
        def slow(array):
            time.sleep(0.002)
            return 255 - array
        with warnings.catch_warnings(record=True) as caught:
            loader = penstock.Loader({shards!r}, transforms=[CenterCrop(8), slow], num_workers=2, output="numpy")
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"], *[str(w.message) for w in caught])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("2 here Python functions run in this process"), done.stderr
    assert "interactive session" in done.stdout


def test_a_program_read_from_a_pipe_continues_here(shards):
    program = f"""
        import penstock, warnings
        from conftest import slow_function
        with warnings.catch_warnings(record=True) as caught:
            loader = penstock.Loader({shards!r}, num_workers=2, output="numpy",
                                     transforms=[penstock.transforms.CenterCrop(8), slow_function])
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"], *[str(w.message) for w in caught])
    """
    done = subprocess.run(
        [sys.executable, "-"],
        input=textwrap.dedent(program),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert done.stdout.startswith("2 here Python functions run in this process"), done.stderr
    assert "was not read from a file" in done.stdout
    assert done.stderr == ""


def test_a_program_without_a_guard_continues_here(shards, tmp_path):
    program = run_program(
        tmp_path,
        f"""
        import penstock, time
        from penstock.transforms import CenterCrop
        def slow(array):
            time.sleep(0.002)
            return 255 - array
        loader = penstock.Loader({shards!r}, transforms=[CenterCrop(8), slow], num_workers=2, output="numpy")
        print(len(list(loader)), loader.stats()["python_stages"][0]["runs_in"])
        """,
    )
    out, err = program.communicate(timeout=120)
    assert out == "2 here\n", err
    assert "if __name__ == '__main__'" in err


def test_fork_is_refused_where_it_is_unsafe_and_works_where_not(shards, tmp_path):
    refused = pytest.raises(penstock.InvalidError, match="'fork' is not safe here: .* threads of a Loader run")
    with loader_of(shards, [CROP], num_workers=1), refused:
        loader_of(shards, [CROP, invert], num_workers=1, multiprocessing_context="fork")
    program = run_program(
        tmp_path,
        f"""
        import time
        import penstock

        scale = 3
        def make(factor):
            def slow(array):
                time.sleep(0.002)
                return array * factor
            return slow

        options = penstock.LoaderOptions(num_workers=2, output="numpy").use_fork()
        loader = penstock.Loader({shards!r}, transforms=[penstock.transforms.CenterCrop(8), make(2)], options=options)
        plain = penstock.Loader({shards!r}, transforms=[penstock.transforms.CenterCrop(8)], output="numpy")
        same = [((2 * a["image"]) == b["image"]).all() for a, b in zip(plain, loader, strict=True)]
        stats = loader.stats()
        print(same == [True, True], stats["python_stages"][0]["runs_in"], stats["helpers"]["started"])
        """,
    )
    out, err = program.communicate(timeout=120)
    assert out == "True helper 2\n", err


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_nothing_of_the_current_folder_is_run(shards, tmp_path, context):
    """Data may lie there. The program's own folder, which Python puts on the path, is another."""
    if context != "fork" and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has no way to start without the current folder")
    here, data = tmp_path / "program", tmp_path / "data"
    here.mkdir()
    data.mkdir()
    note = tmp_path / "ran"
    for module in ("multiprocessing", "numpy", "pickle", "socket", "penstock"):
        (data / f"{module}.py").write_text(f"open({str(note)!r}, 'a').write('{module} ')\nraise SystemExit\n")
    (here / "beside.py").write_text("def invert(array):\n    return 255 - array\n")
    program = f"""
        import beside, penstock
        from penstock import _stages
        from penstock.transforms import CenterCrop

        if __name__ == "__main__":
            _stages.round_trip_seconds = lambda array: 0.0
            options = dict(num_workers=1, multiprocessing_context={context!r})
            with penstock.Loader({shards!r}, transforms=[CenterCrop(8), beside.invert], **options) as loader:
                list(loader)
                print("helpers", loader.stats()["helpers"]["started"])
        """
    (here / "train.py").write_text(textwrap.dedent(program))
    command = [sys.executable, str(here / "train.py")]
    done = subprocess.run(command, cwd=data, capture_output=True, text=True, timeout=300, check=False)
    ran = note.read_text() if note.exists() else ""
    assert ran == "", done.stderr
    assert done.stdout == "helpers 1\n", done.stderr
