"""Agents and reviewers that workers can import."""

from __future__ import annotations

import os


def process(question: str) -> str:
    return f"process {os.getpid()}"


def says_yes(question: str) -> str:
    return "yes"


class Remembers:
    """An agent with something to remember."""

    name = "remembers"

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def reply(self, question: str) -> str:
        return self._answer


def likes_everything(question: str, answer: str, reply: str) -> float:
    return 1.0


def likes_nothing(question: str, answer: str, reply: str) -> float:
    return 0.0
