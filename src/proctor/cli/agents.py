"""proctor agents: list configured agents, and test one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor import plugins, reports, workflows
from proctor.cli import completion, options
from proctor.cli.command import Group
from proctor.cli.options import number
from proctor.cli.output import console, echo, print_json, stdout_to_stderr, tell_error, wrap_text
from proctor.codec import encode
from proctor.redaction import without_credentials
from proctor.settings import BOUNDS
from proctor.threads import run_anywhere

if TYPE_CHECKING:
    from rich.text import Text

    from proctor.config import Config
    from proctor.workflows.agent_test import AgentTestResult

_WHOSE = {"agent": "the agent failed", "environment": "the environment failed", "setting": "it cannot be called"}
_SHOWN = 200


class _Agents(Group):
    """Says what lists them: `proctor agents list` is what many type first."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            known = "`proctor agents` lists the agents, `proctor agents test NAME` asks one a question"
            raise click.UsageError(f"there is no command {args[0]!r} here; {known}", ctx)
        return super().resolve_command(ctx, args)


@click.group("agents", cls=_Agents, invoke_without_command=True)
@options.store
@options.as_json
@click.pass_context
def command(ctx: click.Context, store: str | None, config_path: Path | None, as_json: bool) -> None:
    """List the agents that proctor.toml declares, and the kinds that can be named on the command line."""
    if ctx.invoked_subcommand is None:
        _list(options.load_config(config_path), as_json=as_json)


@command.command("test")
@click.argument("agent", metavar="NAME|SPEC", shell_complete=completion.agents)
@click.option("--question", help="The question to ask [default: what can you help with?].")
@number(
    "--timeout",
    bounds=BOUNDS["timeout"],
    default=60.0,
    metavar="SECONDS",
    help="How long it may take, in seconds [default: 60].",
)
@options.store
@options.as_json
def test(
    agent: str, question: str | None, timeout: float, store: str | None, config_path: Path | None, as_json: bool
) -> int:
    """Ask an agent one question, and show its reply or what is wrong.

    The reply is shown as Proctor understands it. Exit 0: it answered; 2: it cannot be called; 4: it failed.
    """
    config = options.load_config(config_path)
    with stdout_to_stderr():
        tried = run_anywhere(
            lambda: workflows.agent_test.atry(
                agent, question=question or workflows.agent_test.QUESTION, patience=timeout, config=config
            )
        )
    if as_json:
        print_json(_as_json(tried))
    elif tried.owner == "setting":
        tell_error(f"{_WHOSE[tried.owner]}: {tried.trouble}")
    else:
        _show(tried, question or workflows.agent_test.QUESTION)
    if tried.reply is not None:
        return 0
    return 2 if tried.owner == "setting" else 4


def _list(config: Config, *, as_json: bool) -> None:
    declared = [
        {"name": name, "spec": without_credentials(part.spec), "kind": part.kind}
        for name, part in config.agents.items()
    ]
    kinds = sorted(plugins.known("agents"))
    if as_json:
        print_json({"agents": declared, "kinds": kinds})
        return
    width, names = console().width, max((len(part["name"]) for part in declared), default=0)
    for part in declared:
        kind = "" if part["kind"] == "standard" else f"  ({part['kind']})"
        echo(_line(part["name"], part["spec"] + kind, names=names, width=width))
    if not declared:
        echo(wrap_text("No agent is declared; write [agents.NAME] in proctor.toml, or name one by its spec."))
    echo()
    echo(wrap_text(f"Kinds of spec: {', '.join(f'{kind}:…' for kind in kinds)}"))
    echo("Try one with: proctor agents test NAME")


def _line(name: str, spec: str, *, names: int, width: int) -> str:
    """Format a name and its spec, on separate lines if too wide, so that the spec can be copied."""
    line = f"{name:<{names}}  {spec}"
    return line if len(line) <= width else f"{name}\n    {spec}"


def _as_json(tried: AgentTestResult) -> dict[str, Any]:
    import json

    known: dict[str, Any] = json.loads(encode(asdict(tried)))
    return known


def _show(tried: AgentTestResult, question: str) -> None:
    console().print(reports.terminal.Page(lambda _: _lines(tried, question)), end="")


def _lines(tried: AgentTestResult, question: str) -> list[Text]:
    from rich.text import Text

    lines: list[Text] = []
    lines.append(Text(f"{tried.agent} = {tried.spec}" if tried.spec != tried.agent else tried.agent, style="bold"))
    if tried.takes_request is not None:
        handed = "context and history are handed to it" if tried.takes_request else "it sees the question alone"
        lines.append(Text(f"  {handed}"))
    if tried.reply is None:
        lines.append(Text(f"✗ {_WHOSE[tried.owner]}: {reports.words.clean(tried.trouble)}"))
        return lines
    lines.append(Text(f"\n{question}\n"))
    for call in tried.reply.tool_calls:
        arguments = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
        outcome = f"failed: {call.error}" if call.error else f"→ {call.result!r}" if call.result_known else ""
        lines.append(Text(reports.words.clean(f"  {call.name}({arguments})  {outcome}")[:_SHOWN], style="dim"))
    lines.append(Text(reports.words.clean(tried.reply.text) or "(an empty reply)"))
    cited = (f"  [{citation.source}] {citation.quote or ''}" for citation in tried.reply.citations)
    lines += [Text(reports.words.clean(each)[:_SHOWN], style="dim") for each in cited]
    usage_text = (
        "it does not report its tokens" if tried.reply.usage is None else reports.numbers.usage(tried.reply.usage)
    )
    lines.append(Text(f"\n✓ answered in {reports.numbers.duration(tried.seconds)}; {usage_text}"))
    return lines
