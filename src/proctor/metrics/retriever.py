"""Where recorded conversations come from: Retriever."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from proctor.metrics.schemas import Dataset


class Retriever(ABC):
    """A source of conversations. Subclass it and hand the class to a metric."""

    def __init__(self, **kwargs: Any) -> None:
        self.kwargs = kwargs

    @abstractmethod
    def load_dataset(self) -> Iterable[Dataset]:
        """The conversations, each as one Dataset; a list or a generator."""
