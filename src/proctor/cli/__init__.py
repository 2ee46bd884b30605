"""Command line interface: parse, call one workflow, render. One module per command, imported on use."""

from __future__ import annotations

import errno
import importlib
import keyword
import os

import click

from proctor.cli.output import echo, leave_errors_in, tell_error
from proctor.errors import ERROR_FILE, ProctorError
from proctor.redaction import remember_secrets, without_secrets

COMMANDS = {
    "demo": "Test the embedded agent and read a report; needs no key and no network.",
    "init": "Write a commented proctor.toml, a sample benchmark and a sample agent.",
    "check": "Check a benchmark or suite file: preview, compatibility, every error.",
    "doctor": "Find problems in a benchmark itself: duplicates, leaked answers, impossible expectations.",
    "schema": "Print the JSON Schema of suite files or of proctor.toml, for editors.",
    "agents": "List the configured agents; `agents test NAME` asks one a question.",
    "convert": "Turn a comma CSV, TSV, XLSX or JSONL table into a benchmark file.",
    "import": "Import cases and results of Inspect AI, promptfoo, LangSmith, Langfuse or OpenAI Evals.",
    "harvest": "Make draft cases from a run, recorded conversations or traces, for a person to review.",
    "prices": "Show what models cost; `prices --update FILE` adds a price list.",
    "run": "Test an agent on a benchmark.",
    "resume": "Continue a run where it stopped.",
    "cancel": "Stop a run; it can be resumed.",
    "list": "List stored runs.",
    "show": "Show what a run found.",
    "compare": "Is run B better than run A? Paired by case, with what broke and what was fixed.",
    "tournament": "Which of several runs is strongest? Every case is a contest of every pair.",
    "failures": "What failed in a run, in groups, and what of it is new.",
    "history": "Quality over time: the runs of a benchmark, and which changes are real.",
    "rescore": "Score a run's stored replies again; the agent is not called.",
    "label": "Say which replies pass; the report then shows the pass rate as people judge.",
    "judges": "Which judge agrees with people? Side by side, on the attempts that people have labelled.",
    "plan": "How many cases and trials are needed to detect a difference, or to meet a gate.",
    "export": "Write a run as html, json, csv, parquet, junit, markdown or annotations.",
    "sync": "Send a run to Langfuse, Phoenix, MLflow, or any OpenTelemetry backend.",
    "delete": "Delete a run.",
    "serve": "Open the web app: create benchmarks, start runs, watch, read and compare them.",
}


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of writing to a valid path, such as a full disk."""


_COMPLETES = "_PROCTOR_COMPLETE"
"""Set by the shell's completion script: the shell, and the requested operation."""


class _Lazy(click.Group):
    """A group that lists commands without importing them; a command is imported only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        file = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command: click.Command = importlib.import_module(f"proctor.cli.{file}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(f"there is no command {args[0]!r}{_nearest(args[0])}", ctx) from error


def _nearest(name: str) -> str:
    from proctor.settings import did_you_mean

    return f"; {did_you_mean(name, COMMANDS, otherwise='`proctor --help` lists them')}"


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"proctor {version('proctor')}")
        ctx.exit()


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Show the version.")
def cli() -> None:
    """Proctor examines AI agents: is it right, is it consistent, how sure is that, and what changed.

    Try `proctor demo` first: it needs no key, no network and no server.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code. Tracebacks are shown only with PROCTOR_TRACEBACK=1."""
    if _COMPLETES in os.environ:
        return _complete_word(os.environ[_COMPLETES])
    remember_secrets()
    leave_errors_in(os.environ.pop(ERROR_FILE, ""))  # nor do the programs know of it that an agent calls
    try:
        result = cli.main(args=arguments, prog_name="proctor", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except (click.exceptions.Abort, KeyboardInterrupt):
        echo("Interrupted; `proctor list` shows what is stored.", err=True)
        return 4
    except SystemExit:  # commands return their code, so this comes from a handler of an agent
        tell_error("interrupted before the output was complete; `proctor list` shows what is stored")
        return 4
    except click.exceptions.NoArgsIsHelpError as error:
        echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        tell_error(without_secrets(error.format_message()))
        if isinstance(error, click.UsageError) and error.ctx is not None:
            echo(f"See `{error.ctx.command_path} --help`.", err=True)
        return 2
    except ProctorError as error:
        if os.environ.get("PROCTOR_TRACEBACK"):
            raise
        tell_error(without_secrets(error.in_terminal), kind=type(error).__name__)
        return error.exit_code
    except Exception as error:
        if os.environ.get("PROCTOR_TRACEBACK"):
            raise
        return _report_crash(error)


def _complete_word(instruction: str) -> int:
    """Answer a request for shell completion, without printing errors in the middle of typing."""
    from click.shell_completion import shell_complete

    try:
        return shell_complete(cli, {}, "proctor", _COMPLETES, instruction)
    except Exception:
        if os.environ.get("PROCTOR_TRACEBACK"):
            raise
        return 1


def _report_crash(error: Exception) -> int:
    """Report an unexpected error; for an unusable path, name it."""
    if isinstance(error, OSError) and error.filename is not None:
        message = f"cannot use {str(error.filename)!r}: {error.strerror or error}; name another place"
        tell_error(without_secrets(message))
        return 4 if error.errno in _FULL else 2
    tell_error(f"Proctor itself failed: {type(error).__name__}: {without_secrets(str(error))}")
    echo("Run it again with PROCTOR_TRACEBACK=1 to see where.", err=True)
    return 4
