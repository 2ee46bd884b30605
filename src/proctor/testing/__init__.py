"""The contracts of agents and executors as tests, for those of Proctor and of anybody.

Subclass `AgentContract` for an adapter:

    class TestContract(AgentContract):
        @asynccontextmanager
        async def connected(self, mind):
            yield load(…)

`connected` says how an agent that thinks with a given mind is reached. pytest runs what it inherits. Subclass
`ExecutorContract` for whoever plays attempts elsewhere: `playing` says who plays a given `Scene`.
"""

from proctor.testing.agents import ASKED, CROWD, EARLIER, AgentContract
from proctor.testing.executors import ExecutorContract
from proctor.testing.minds import TOOLS, Body, Heard, Mind, Move, Status, Tools, Wish, heard_in
from proctor.testing.scenes import Scene

__all__ = [
    "ASKED",
    "CROWD",
    "EARLIER",
    "TOOLS",
    "AgentContract",
    "Body",
    "ExecutorContract",
    "Heard",
    "Mind",
    "Move",
    "Scene",
    "Status",
    "Tools",
    "Wish",
    "heard_in",
]
