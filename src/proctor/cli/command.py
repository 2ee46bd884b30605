"""Commands that refuse an option which takes one value and is given twice: the first would be dropped in silence."""

from __future__ import annotations

from collections import Counter

import click


def refuse_repeated(command: click.Command, ctx: click.Context, arguments: list[str]) -> None:
    """Raise click.UsageError for the first option that takes one value and is given more often."""
    if ctx.resilient_parsing:  # somebody is still typing
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
    """A flag says the same however often it is given, and some options are there to be repeated."""
    return not (option.multiple or option.is_flag or option.count)


class Command(click.Command):
    """One command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        refuse_repeated(self, ctx, args)
        ctx.allow_extra_args = not ctx.resilient_parsing
        left = super().parse_args(ctx, args)
        if ctx.args and not ctx.resilient_parsing:
            _refuse_left_over(ctx)
        return left


def _refuse_left_over(ctx: click.Context) -> None:
    """Arguments that nothing takes: mostly the later words of a text that should stand in quotes."""
    words = " ".join(ctx.args)
    what = "one argument" if len(ctx.args) == 1 else f"{len(ctx.args)} arguments"
    raise click.UsageError(f"{what} too many: {words}; put a text that holds blanks in quotes, or leave them out", ctx)


class Group(click.Group):
    """A command with commands below it."""

    command_class = Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments up to the command."""
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)
