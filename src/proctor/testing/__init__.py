"""Contract tests for agents and executors, those of Proctor as well as your own.

Subclass `AgentContract` for an adapter:

    class TestContract(AgentContract):
        @asynccontextmanager
        async def connected(self, mind):
            yield load(…)

`connected` yields an agent that behaves as the given mind does. pytest runs the inherited tests. Subclass
`ExecutorContract` for an executor that plays attempts elsewhere: `playing` yields the executor for a given `Scene`.
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
