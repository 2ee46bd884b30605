"""What all pages and the API share: one open store, the settings, who is logged in."""

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
    """One server's belongings. Reading the store blocks: only plain functions may, which run in threads."""

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
        """The store, opened with the first look at it and kept open."""
        return open_store(self.settings.store)

    @property
    def config(self) -> Config:
        """What `proctor.toml` says now: it is read again, since people edit it while the server runs."""
        return load_config(self.settings.config)

    @property
    def config_to_read_by(self) -> Config:
        """The same for pages that only show what is stored: empty where it cannot be read, which is no matter there."""
        try:
            return self.config
        except ProctorError:
            return Config()

    @property
    def config_problem(self) -> str:
        """Why the configuration cannot be read; empty: it can."""
        try:
            load_config(self.settings.config)
        except ProctorError as error:
            return without_secrets(error.on_page)
        return ""

    def begin(self) -> None:
        """Look after runs from now on."""
        self.jobs.begin()

    def close(self) -> None:
        """Let go of the store; runs go on."""
        self.jobs.end()
        self.summaries.end()
        if "store" in self.__dict__:
            self.store.close()


def drafts_of(site: Site) -> Drafts:
    """Files that were uploaded and not saved yet."""
    return Drafts(site.settings.folder / "web" / "drafts")


def site_of(request: Request) -> Site:
    """The site that a request came to."""
    site: Site = request.app.state.site
    return site
