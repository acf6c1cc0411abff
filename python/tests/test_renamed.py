"""Old names: they work, and say what they are called now."""

from __future__ import annotations

import json
import pickle
import subprocess

import pytest
from audio_sources import program

import penstock
from penstock import audio
from penstock._renamed import RenamedKeys


def test_an_old_class_is_the_new_one() -> None:
    with pytest.warns(DeprecationWarning, match=r"SoundBuildReport has been renamed to AudioBuildReport"):
        assert audio.SoundBuildReport is audio.AudioBuildReport
    with pytest.raises(AttributeError, match="no attribute 'Sound'"):
        _ = audio.Sound


def test_old_counts_of_verify(shards) -> None:
    report = penstock.verify(shards)
    with pytest.warns(DeprecationWarning, match=r"renamed to VerifyReport\.images") as warned:
        assert report.pictures == report.images > 0
    assert warned[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"renamed to VerifyReport\.recordings"):
        assert report.sounds == report.recordings == 0


def test_old_keys_of_stats(shards) -> None:
    tune = penstock.Loader(shards, auto_tune=True, output="numpy").stats()["auto_tune"]
    with pytest.warns(DeprecationWarning, match=r"stats\(\)\['auto_tune'\]\['max_workers'\]") as warned:
        assert tune["most_workers"] == tune["max_workers"] >= 1
    assert warned[0].filename == __file__
    assert "most_workers" not in list(tune)
    with pytest.raises(KeyError, match="workers_at_most"):
        _ = tune["workers_at_most"]


def test_keys_survive_copies() -> None:
    keys = RenamedKeys({"new": 1}, {"old": "new"}, "values")
    again = pickle.loads(pickle.dumps(keys))
    with pytest.warns(DeprecationWarning):
        assert again["old"] == 1
    assert again == {"new": 1} and json.loads(json.dumps(again)) == {"new": 1}


def test_old_members_of_json_documents(shards, tmp_path) -> None:
    def document(*arguments: object) -> dict:
        command = [program(), *map(str, arguments), "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    penstock.build(shards, tmp_path / "store", progress=False)
    verified, info = document("verify", tmp_path / "store"), document("info", tmp_path / "store")
    assert verified["pictures"] == verified["images"] > 0 and verified["sounds"] == verified["recordings"] == 0
    assert info["picture_sizes"] == info["image_sizes"] != {}
