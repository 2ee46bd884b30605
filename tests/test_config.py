"""proctor.toml: what it says, and what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proctor.cli.run import command as run_command
from proctor.config import OPTIONS_ALONE, Config, RunConfig, load_config
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
        ("[run]\nstore = 'x.db'", "'run.store'; it belongs at the top of the file, above the first [table]"),
        ("[run]\nspec = 'a:b'", "'run.spec'; it belongs in [agents.NAME] or in [models.NAME]"),
        ("[run]\nrequests_per_minute = 5", "it belongs in [limits.NAME]"),
        ("[run]\nprices = 5", "it belongs on a line of its own, as a [table]"),
        ("trials = 3", "unknown key 'trials'; it belongs in [run]"),
        ("[limits.openai]\nbudget = 3", "it belongs in [run]"),
        ("[models.x]\nspec = 'openai:a'\ninput = 3", "it belongs in [prices]"),
        ("[run]\npassing-score = 1", "did you mean 'passing_score'?"),
        ("zzz = 1", "unknown key 'zzz'; expected one of store, run, agents, models, reviewers, examiners, conditions"),
        ("[run]\nzzz = 1", "unknown key 'run.zzz'; expected one of agent, agent_kind"),
        ("[run]\ntrials = 0", "run.trials = 0 is not usable; expected a whole number from 1 to 10,000"),
        ("[run]\ntrials = '3'", 'run.trials = "3" is not usable; expected a whole number from 1'),
        ("[run]\ntrials = true", "run.trials = true is not usable; expected a whole number"),
        (f"[run]\ntrials = {10**30}", "is not usable; expected a whole number from 1 to 10,000"),
        (f"[run]\ntrials = {'9' * 5000}", "is not valid TOML: Exceeds the limit"),
        ("[run]\ntimeout = inf", "run.timeout = inf is not usable; expected a number above 0, up to 86,400 seconds"),
        ("[run]\nweights = {correctness = nan}", "the weight correctness=nan is not usable"),
        ("[run]\nweights = {correctness = 0}", "are all 0"),
        (f"[limits.openai]\nconcurrency = {10**30}", "expected a number of at most 10000"),
        ("store = ''", 'store = "" is not usable; expected a text that is not empty'),
        ("x = " + 5000 * "[", "has too many brackets inside each other"),
        ("x = " + 5000 * "{x = ", "has too many brackets inside each other"),
        ("x = '" + 2**20 * "y" + "'", "the file has more than 1,048,576 bytes"),
        ("[run]\ntimeout = 0", "run.timeout = 0 is not usable"),
        ("[run]\npassing_score = 70", "run.passing_score = 70 is not usable"),
        (
            "[run]\nweights = {correctness = 'much'}",
            'run.weights.correctness = "much" is not usable; expected a number',
        ),
        ("store = 3", "store = 3 is not usable"),
        ("[agents.x]\nkind = 'standard'", "[agents.x] has no spec; write something like spec = "),
        ("[agents.x]\nspec = 'a:b'\nkind = 'robot'", 'agents.x.kind = "robot" is not usable'),
        ("[agents]\nx = 'python:a:b'", "agents.x is not a table; write [agents.x] on a line of its own"),
        ("agents = 3", "agents is not a table"),
        ("[agents.x]\nspce = 'a:b'", "unknown key 'agents.x.spce'; did you mean 'spec'?"),
        ("[models.x]\nsepc = 'openai:a'", "unknown key 'models.x.sepc'; did you mean 'spec'?"),
        ("[models.x]\nspec = 'openai:a'\nzzz = 1", "unknown key 'models.x.zzz'; expected one of spec, price"),
        (
            "[models.x]\nspec = 'a:b'\nprice = {inptu = 1, output = 2}",
            "unknown key 'models.x.price.inptu'; did you mean",
        ),
        ("[models]\nx = 'openai:a'", "models.x is not a table; write [models.x]"),
        ("[prices]\n'a:b' = {inptu = 1, output = 2}", "unknown key 'prices.\"a:b\".inptu'; did you mean 'input'?"),
        ("[prices]\n'a:b' = {input = 1}", 'prices."a:b" has no output; a price is {input = 1.0, output = 4.0}'),
        ("[prices]\n'a:b' = {input = -1, output = 2}", 'prices."a:b".input = -1 is not usable'),
        ("[prices]\n'a:b' = {input = nan, output = 2}", 'prices."a:b".input = nan is not usable'),
        ("[prices]\n'a:b' = 3", 'prices."a:b" is not a table; write [prices."a:b"]'),
        ("[limits.openai]\nrequest_per_minute = 5", "unknown key 'limits.openai.request_per_minute'; did you mean"),
        ("[limits.openai]\ntokens_per_minute = 0", "limits.openai.tokens_per_minute = 0 is not usable"),
        ("[limits.openai]\nconcurrency = 1.5", "limits.openai.concurrency = 1.5 is not usable"),
        ("store = 'postgresql://me:hush@h/d'", "store holds a password: write ${NAME} in its place"),
        ("[agents.x]\nspec = 'http://h/${X}'", "agents.x.spec holds a ${NAME}, which is filled in only in options"),
        (
            "[agents.x]\nspec = 'http://h'\nheaders = {Authorization = 'Bearer abc'}",
            'agents.x.headers.Authorization holds a secret, and it is stored with the run: write "${NAME}"',
        ),
        ("[agents.x]\nspec = 'command:prog --token X'", "in agents.x.spec --token is given a secret"),
        ("[reviewers.x]\nspec = 'model:openai:m'\napi_key = 'sk-1'", "reviewers.x.api_key holds a secret"),
        ("[examiners.x]\nspec = 'agent:http://u:pw@h'", "in examiners.x.spec the address holds a password"),
        ("[models.x]\nspec = 'openai-compatible:m@http://h/v1?key=1'", "in models.x.spec the address has 'key' in"),
        ("[run]\nagent = 'command:prog --token X'", "in run.agent, its spec --token is given a secret"),
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


def test_a_model_can_play_every_part_unless_somebody_of_its_name_does(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(
        '[models.small]\nspec = "openai:small"\nprice = {input = 1, output = 2}\n'
        '[models.large]\nspec = "ollama:large"\n'
        '[reviewers.large]\nspec = "exact"\n'
    )
    config = load_config(path)
    assert (config.agents["small"].spec, config.agents["large"].spec) == ("openai:small", "ollama:large")
    assert (config.reviewers["small"].spec, config.reviewers["large"].spec) == ("model:openai:small", "exact")
    assert config.examiners["small"].spec == "model:openai:small"
    assert config.prices == {"openai:small": {"input": 1.0, "output": 2.0}}


def test_a_price_of_its_own_does_not_replace_the_one_under_prices(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(
        '[models.a]\nspec = "openai:a"\nprice = {input = 1, output = 2}\n'
        '[prices]\n"openai:a" = {input = 3, output = 4}\n'
    )
    assert load_config(path).prices["openai:a"]["input"] == 3.0


def test_a_command_may_hold_variables_which_are_filled_in_when_it_starts(tmp_path: Path) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text("[agents.x]\nspec = 'command:prog --token ${CRM_TOKEN}'\n")
    assert load_config(path).agents["x"].spec == "command:prog --token ${CRM_TOKEN}"


NOT_IN_THE_FILE = {
    "dry_run": "a question about one run, asked before it",
    "name": "names one run: two of one name could not be told apart",
    "look": "counts the verdicts on one run",
    "force": "sets a refusal aside for one run, knowingly",
    "store": "stands at the top of the file, as it holds for every command",
    "config": "names the file itself",
    "json": "is about one command's output",
    "help": "is about one command's output",
}
"""Options of `proctor run` without a key under [run], and why."""


def test_every_option_of_run_can_be_set_under_run() -> None:
    names = {max(option.opts, key=len).removeprefix("--").replace("-", "_") for option in run_command.params[1:]}
    assert names - NOT_IN_THE_FILE.keys() == set(RunConfig.model_fields)
    assert not NOT_IN_THE_FILE.keys() & RunConfig.model_fields.keys()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('type = "abm"', "run.type = \"abm\" is not usable; expected 'standard', 'abm-static' or 'abm-dynamic'"),
        ('sync = ["fax"]', "expected some of langfuse, otlp, phoenix, mlflow"),
        ("condition = 3", 'run.condition = 3 is not usable; expected a text, or a list such as ["a", "b"]'),
        ("gate = [1]", "expected a text, or a list such as"),
        ("seeds = 0", "run.seeds = 0 is not usable; expected a whole number from 1 to 1,000,000"),
        ('cache = "yes"', 'run.cache = "yes" is not usable; expected true or false'),
    ],
)
def test_what_run_cannot_be_is_refused(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(f"[run]\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=re.escape(said)):
        load_config(path)


def test_a_reviewers_spec_may_be_called_its_model(tmp_path: Path) -> None:
    file = tmp_path / "proctor.toml"
    file.write_text(
        '[models.mini]\nspec = "openai:gpt-5-mini"\n'
        '[reviewers.own]\nmodel = "anthropic:claude"\ncriteria = "Is it polite?"\n'
        '[reviewers.named]\nmodel = "mini"\ntemperature = 0.5\n'
        '[reviewers.code]\nspec = "python:mine:judge"\nmodel = "large"\n'
    )
    reviewers = load_config(file).reviewers
    assert {name: (part.spec, part.options) for name, part in reviewers.items() if name != "mini"} == {
        "own": ("anthropic:claude", {"criteria": "Is it polite?"}),
        "named": ("openai:gpt-5-mini", {"temperature": 0.5}),
        "code": ("python:mine:judge", {"model": "large"}),
    }


@pytest.mark.parametrize("name", OPTIONS_ALONE)
def test_an_option_that_has_no_key_is_said_to_have_none(tmp_path: Path, name: str) -> None:
    path = tmp_path / "proctor.toml"
    path.write_text(f"[run]\n{name} = true\n")
    with pytest.raises(InputError) as refused:
        load_config(path)
    option = name.replace("_", "-")
    assert f"--{option} is an option of `proctor run` alone; it has no key" in str(refused.value)


def test_every_option_of_run_has_a_key_or_is_known_to_have_none() -> None:
    options = {max(each.opts, key=len).lstrip("-").replace("-", "_") for each in run_command.params if each.opts}
    assert options - {"store", "file"} <= {*RunConfig.model_fields, *OPTIONS_ALONE}
