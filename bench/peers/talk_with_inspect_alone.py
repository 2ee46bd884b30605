"""Inspect AI at its lightest: a solver appends questions and replies by itself, and no model is called."""

from __future__ import annotations

from typing import Any

from bench.peers.talk import Topic, main, topic_of
from bench.peers.talk_with_inspect import played
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser


def hold(topics: list[Topic], turns: int, words: str) -> int:
    async def converse(state: Any, _generate: Any) -> Any:
        topic = topic_of(state.input_text)
        for turn in range(turns):
            if turn:
                state.messages.append(ChatMessageUser(content=f"Are you sure? {topic.question}"))
            state.messages.append(ChatMessageAssistant(content=topic.reply(turn, words)))
        return state

    return played(topics, turns, converse, "mockllm/model")


if __name__ == "__main__":
    main(hold)
