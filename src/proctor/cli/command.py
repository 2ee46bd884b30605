"""Commands that refuse a single-value option given twice; click would silently drop the first value."""

from __future__ import annotations

from collections import Counter

import click


def refuse_repeated(command: click.Command, ctx: click.Context, arguments: list[str]) -> None:
    """Raise click.UsageError for the first single-value option that is given more than once."""
    if ctx.resilient_parsing:  # shell completion
        return
    if any("\0" in argument for argument in arguments):
        raise click.UsageError("an argument holds a NUL character, which no name and no path can; remove it", ctx)
    _, _, given = command.make_parser(ctx).parse_args(args=list(arguments))
    for parameter, times in Counter(given).items():
        if times > 1 and isinstance(parameter, click.Option) and _takes_one(parameter):
            name = max(parameter.opts, key=len)
            often = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"{name} is given {often} and takes one value; give it once", ctx)


def _takes_one(option: click.Option) -> bool:
    """Whether repeating the option is a mistake: not for flags, counters and multiple options."""
    return not (option.multiple or option.is_flag or option.count)


class Command(click.Command):
    """A command that refuses repeated options and surplus arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments."""
        refuse_repeated(self, ctx, args)
        ctx.allow_extra_args = not ctx.resilient_parsing
        left = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            _refuse_left_over(ctx)
        return left


def _refuse_left_over(ctx: click.Context) -> None:
    """Refuse surplus arguments, usually the words of an unquoted text."""
    words = " ".join(ctx.args)
    what = "one argument" if len(ctx.args) == 1 else f"{len(ctx.args)} arguments"
    raise click.UsageError(f"{what} too many: {words}; put a text that holds blanks in quotes, or leave them out", ctx)


class Group(click.Group):
    """A command with subcommands."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments before the subcommand."""
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)
