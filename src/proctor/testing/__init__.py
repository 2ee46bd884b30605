"""The contract of agents as tests, for adapters of Proctor's and of anybody's: subclass `AgentContract`.

    class TestContract(AgentContract):
        @asynccontextmanager
        async def connected(self, mind):
            yield load(…)

`connected` says how an agent that thinks with a given mind is reached. pytest runs what it inherits.
"""

from proctor.testing.agents import ASKED, CROWD, EARLIER, AgentContract
from proctor.testing.minds import TOOLS, Body, Heard, Mind, Move, Status, Tools, Wish, heard_in

__all__ = [
    "ASKED",
    "CROWD",
    "EARLIER",
    "TOOLS",
    "AgentContract",
    "Body",
    "Heard",
    "Mind",
    "Move",
    "Status",
    "Tools",
    "Wish",
    "heard_in",
]
