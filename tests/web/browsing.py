"""A browser without a screen: keeps cookies, and fills in the token that forms carry."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from proctor.web.site.site import Site

TOKEN = "correct horse battery"
HERE = "http://localhost"


class Browser:
    """Talks to an app as a browser would."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.client = TestClient(app, base_url=HERE, follow_redirects=False, raise_server_exceptions=False)

    @property
    def site(self) -> Site:
        site: Site = self.app.state.site
        return site

    def __enter__(self) -> Browser:
        self.client.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.__exit__(kind, error, trace)

    def get(self, address: str, **others: Any) -> Any:
        return self.client.get(address, **others)

    def page(self, address: str) -> str:
        """A page that must be there."""
        answer = self.get(address)
        assert answer.status_code == 200, (address, answer.status_code, answer.text[:2000])
        return str(answer.text)

    def form_token(self, address: str = "/") -> str:
        """What a form on this page would carry."""
        found = re.search(r'name="form-token" content="(\w+)"', self.get(address, follow_redirects=True).text)
        assert found is not None
        return found[1]

    def post(self, address: str, fields: dict[str, Any] | None = None, **others: Any) -> Any:
        """Send a form of ours."""
        return self.client.post(address, data={"form_token": self.form_token(), **(fields or {})}, **others)

    def log_in(self, token: str = TOKEN, **fields: str) -> Any:
        return self.post("/login", {"token": token, **fields})
