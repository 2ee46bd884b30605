"""The floor: plain lists, an examiner that repeats the question, and `in` for a judge; nothing is stored."""

from __future__ import annotations

from bench.peers.talk import Topic, main


def hold(topics: list[Topic], turns: int, words: str) -> int:
    asked = 0
    for topic in topics:
        history: list[tuple[str, str]] = []
        for turn in range(turns):
            reply = topic.reply(turn, words)
            if topic.answer not in reply:
                raise RuntimeError(f"turn {turn + 1} of {topic.question!r} was not passed")
            history.append((topic.question, reply))
        asked += len(history)
    return asked


if __name__ == "__main__":
    main(hold)
