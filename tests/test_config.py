"""proctor.toml: what it says, and what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proctor.config import Config, load_config
from proctor.errors import InputError


def test_without_a_file_there_are_only_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config() == Config()


def test_the_file_in_the_current_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proctor.toml").write_text(
        'store = "here.db"\n'
        '[run]\nagent = "mine"\ntrials = 3\ntimeout = 5\nweights = {correctness = 1}\n'
        '[agents.mine]\nspec = "command:cat"\nkind = "orchestrator"\ninput = "json"\n'
        '[reviewers.strict]\nspec = "exact"\n'
    )
    config = load_config()
    assert (config.store, config.run.agent, config.run.trials, config.run.timeout) == ("here.db", "mine", 3, 5.0)
    assert config.run.weights == {"correctness": 1.0}
    assert (config.agents["mine"].spec, config.agents["mine"].kind) == ("command:cat", "orchestrator")
    assert config.agents["mine"].options == {"input": "json"}
    assert config.reviewers["strict"].options == {}


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_bytes(b"\xef\xbb\xbf[run]\ntrials = 2\n")
    assert load_config(path).run.trials == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[run]\ntrails = 3", "unknown key 'run.trails'; did you mean 'trials'?"),
        ("[rn]\ntrials = 3", "unknown key 'rn'; did you mean 'run'?"),
        ("[agent.x]\nspec = 'a'", "unknown key 'agent'; did you mean 'agents'?"),
        ("zzz = 1", "unknown key 'zzz'; known are store, run, agents, reviewers, examiners, conditions"),
        ("[run]\nzzz = 1", "unknown key 'run.zzz'; known are agent, reviewer"),
        ("[run]\ntrials = 0", "run.trials = 0 is not usable; it should be greater than or equal to 1"),
        ("[run]\ntrials = '3'", "run.trials = '3' is not usable; it should be a valid integer"),
        ("[run]\ntrials = true", "run.trials = True is not usable"),
        ("[run]\ntimeout = 0", "run.timeout = 0 is not usable"),
        ("[run]\npassing_score = 70", "run.passing_score = 70 is not usable"),
        ("[run]\nweights = {correctness = 'much'}", "run.weights.correctness = 'much' is not usable"),
        ("store = 3", "store = 3 is not usable"),
        ("[agents.x]\nkind = 'standard'", "[agents.x] has no spec; write something like spec = "),
        ("[agents.x]\nspec = 'a:b'\nkind = 'robot'", "agents.x.kind = 'robot' is not usable"),
        ("[agents]\nx = 'python:a:b'", "agents.x is no table; write [agents.x] on a line of its own"),
        ("agents = 3", "agents is no table"),
        ("[run\n", "is not valid TOML: Expected ']'"),
        ("store = 'a'\nstore = 'b'", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_that_names_the_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(words)) as caught:
        load_config(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_are_never_shown_since_they_may_be_secrets(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text("[agents.x]\nkey = 'hush-hush'\n")
    with pytest.raises(InputError) as caught:
        load_config(path)
    assert "hush-hush" not in str(caught.value)


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no configuration file"):
        load_config(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="there is no configuration file"):
        load_config(tmp_path)


def test_other_bytes_than_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        load_config(path)
