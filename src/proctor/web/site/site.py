"""State shared by all pages and the API: the open store, the settings, the sessions."""

from __future__ import annotations

from functools import cached_property

from starlette.requests import Request

from proctor.config import Config, load_config
from proctor.errors import ProctorError
from proctor.redaction import without_secrets
from proctor.storage import Store, open_store
from proctor.web.site.clients import WrongTokens
from proctor.web.site.drafts import Drafts
from proctor.web.site.jobs import Jobs
from proctor.web.site.judge_jobs import JudgeJobs
from proctor.web.site.live import Live
from proctor.web.site.sessions import Sessions
from proctor.web.site.settings import WebSettings
from proctor.web.site.shares import ShareLinks
from proctor.web.site.summaries import Summaries
from proctor.web.site.syncs import Syncs
from proctor.workflows.library import Library


class Site:
    """Shared state of one server. Reading the store blocks, so only sync handlers, which run in threads, may do it."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self.sessions = Sessions(settings.folder / "web", settings.token)
        self.wrong_tokens = WrongTokens()
        self.library = Library(settings.folder / "benchmarks")
        self.live = Live()
        self.summaries = Summaries(settings.folder / "web" / "found", lambda: self.store)
        self.jobs = Jobs(settings, lambda: self.store)
        self.judge_jobs = JudgeJobs(settings, lambda: self.store)
        self.shares = ShareLinks(settings)
        self.syncs = Syncs(settings.store)

    @cached_property
    def store(self) -> Store:
        """The store, opened on first access and kept open."""
        return open_store(self.settings.store)

    @property
    def config(self) -> Config:
        """The current `proctor.toml`, reloaded because it may be edited while the server runs."""
        return load_config(self.settings.config)

    @property
    def config_to_read_by(self) -> Config:
        """The configuration for pages that only show stored data: empty if it cannot be read."""
        try:
            return self.config
        except ProctorError:
            return Config()

    @property
    def config_problem(self) -> str:
        """Why the configuration cannot be read, or empty."""
        try:
            load_config(self.settings.config)
        except ProctorError as error:
            return without_secrets(error.on_page)
        return ""

    def begin(self) -> None:
        """Start scheduling runs."""
        self.jobs.begin()

    def close(self) -> None:
        """Close the store; runs continue."""
        self.jobs.end()
        self.summaries.end()
        if "store" in self.__dict__:
            self.store.close()


def drafts_of(site: Site) -> Drafts:
    """Return the site's uploaded but unsaved files."""
    return Drafts(site.settings.folder / "web" / "drafts")


def site_of(request: Request) -> Site:
    """Return the site that serves a request."""
    site: Site = request.app.state.site
    return site
