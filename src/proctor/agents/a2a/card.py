"""The agent card: which agent it is, its endpoint, and the protocol version."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from yarl import URL

from proctor.codec import read_json
from proctor.errors import Misconfigured
from proctor.net import addresses
from proctor.net.addresses import shown
from proctor.net.errors import fault_of_status
from proctor.net.exchange import Response

_PLACES = (".well-known/agent-card.json", ".well-known/agent.json")
_BINDING = "JSONRPC"
_RESOURCES = "HTTP+JSON"
_FIRST_MODERN, _FIRST_UNKNOWN = (1, 0), (2, 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """URL and protocol of an agent."""

    url: str
    modern: bool
    """Whether it speaks protocol version 1.0 or later, rather than 0.2 or 0.3."""
    tenant: str | None
    """Identifies the agent if several share a URL."""
    streams: bool
    """Whether it can stream its progress."""
    resources: bool = False
    """Whether it uses HTTP+JSON instead of JSON-RPC."""


def places(url: URL, card: str | None) -> Iterator[URL]:
    """Yield the URLs where a card may be: below the agent's URL, then at its host's root; the older file name last."""
    if card is not None:
        yield url.join(URL(card))
        return
    if url.path.endswith(".json"):
        yield url
        return
    folder = url.with_query(None).with_fragment(None)
    for base in dict.fromkeys((folder.with_path(folder.path.rstrip("/") + "/"), folder.with_path("/"))):
        for place in _PLACES:
            yield base.join(URL(place))


async def find(places: Iterator[URL], *, get: Callable[[URL], Awaitable[Response]]) -> tuple[URL, Mapping[str, Any]]:
    """Return the URL and content of the first card found; raise Misconfigured if there is none."""
    looked = []
    for place in places:
        looked.append(shown(place))
        response = await get(place)
        if response.status in (404, 405):
            continue
        if (fault := fault_of_status(response)) is not None:
            raise fault
        return place, _read(response, place)
    raise Misconfigured(f"there is no agent card at {' or '.join(looked)}; say where it is with card = …")


def _read(response: Response, place: URL) -> Mapping[str, Any]:
    try:
        card = read_json(response.body)
    except (ValueError, RecursionError) as error:
        raise Misconfigured(f"what is at {shown(place)} is not an agent card: it is not valid JSON") from error
    if not isinstance(card, dict):
        raise Misconfigured(f"what is at {shown(place)} is not an agent card: it is not a JSON object")
    return card


def endpoint_of(card: Mapping[str, Any], found: URL, *, trusted: URL, credentials: bool) -> Endpoint:
    """Return the endpoint to use: JSON-RPC, else HTTP+JSON, in the newest version that both sides support."""
    named = [each for each in _interfaces(card) if each.get("url")]
    spoken = [each for each in named if each.get("protocolBinding") == _BINDING]
    resources = [
        each for each in named if each.get("protocolBinding") == _RESOURCES and _version(each) >= _FIRST_MODERN
    ]
    if not spoken and not resources:
        offered = sorted({str(each.get("protocolBinding")) for each in _interfaces(card)}) or ["nothing"]
        raise Misconfigured(
            f"the agent card at {shown(found)} offers {', '.join(offered)}; "
            f"expected an address for {_BINDING}, or for {_RESOURCES} of version 1.0"
        )
    chosen = _newest(spoken or resources)
    capabilities = card.get("capabilities")
    return Endpoint(
        url=_address(str(chosen["url"]), found, trusted, credentials=credentials),
        modern=_version(chosen) >= _FIRST_MODERN,
        tenant=chosen.get("tenant") or None,
        streams=isinstance(capabilities, dict) and capabilities.get("streaming") is True,
        resources=not spoken,
    )


def _newest(spoken: list[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the newest supported interface; among equals the first, because cards list preferred ones first."""
    known = [each for each in spoken if _version(each) < _FIRST_UNKNOWN]
    return max(known, key=_version) if known else spoken[0]


def _interfaces(card: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the interfaces that a card lists, in the format of version 1.0 or an older one."""
    if isinstance(card.get("supportedInterfaces"), list):
        return [each for each in card["supportedInterfaces"] if isinstance(each, dict)]
    version = card.get("protocolVersion", "0.2")
    others = card.get("additionalInterfaces")
    older = [{"url": card.get("url"), "transport": card.get("preferredTransport", _BINDING)}]
    older += [each for each in others if isinstance(each, dict)] if isinstance(others, list) else []
    return [
        {"url": each.get("url"), "protocolBinding": each.get("transport"), "protocolVersion": version} for each in older
    ]


def _version(interface: Mapping[str, Any]) -> tuple[int, int]:
    major, _, rest = str(interface.get("protocolVersion") or "0.3").partition(".")
    minor = rest.partition(".")[0]
    return (int(major) if major.isdigit() else 0, int(minor) if minor.isdigit() else 0)


def _address(written: str, found: URL, trusted: URL, *, credentials: bool) -> str:
    try:
        target = addresses.parse(str(found.join(URL(written))))
    except ValueError as error:
        raise Misconfigured(f"the agent card at {shown(found)} names an address that cannot be used: {error}") from None
    if not addresses.may_follow(trusted, target, credentials=credentials):
        raise Misconfigured(
            f"the agent card at {shown(found)} leads to {shown(target)}: what was meant for one is not sent to the "
            f"other; if it is right, write a2a:{shown(target)} and say where the card is with card = …"
        )
    return str(target)
