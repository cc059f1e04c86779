"""The calls of the platform, each bounded in time as a whole and repeated once where its outcome is unknown."""

import http.client
import json
import re
import socket
import threading
import time
from concurrent.futures import Future, TimeoutError as NoAnswer
from contextlib import suppress
from copy import copy
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from .calls import UserCalls
from .errors import Misconfigured, Refused, Unavailable

_CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
_SECONDS = 2.0


class Client(UserCalls):
    """
    `url` is where Ishtirak is, `api_key` one of its PLATFORM_API_KEYS. `timeout` is in seconds, for a whole call: looking
    the name up, the one retry and reading the answer included. Unset: 2, for a purchase 14, for a PDF 10, for `redeem` 7
    and for `upload_proof` 70.

    Every call raises `Unavailable`, `Misconfigured` or `Refused`. It may be used by several threads.
    """

    def __init__(self, url: str, api_key: str, timeout: Optional[float] = None) -> None:
        if not _is_url(url):
            raise Misconfigured("url is the address of billing, as https://billing.example.dz")
        if not (isinstance(api_key, str) and re.fullmatch("[ -~]+", api_key)):
            raise Misconfigured("api_key is one of PLATFORM_API_KEYS, in ASCII on one line")
        parts = urlsplit(url)
        self._connection = _CONNECTIONS[parts.scheme]
        self._host, self._path = parts.netloc, parts.path.rstrip("/")
        self._api_key = api_key
        self._timeout = timeout
        self._person: Dict[str, str] = {}

    def plans(self) -> List[Dict[str, Any]]:
        """The catalogue, the free plan first."""
        return self._call("GET", "/api/v1/billing/plans")

    def offers(self) -> List[Dict[str, Any]]:
        """What is sold: each plan's terms, the shortest first."""
        return self._call("GET", "/api/v1/billing/offers")

    def list_users(
        self,
        state: Optional[str] = None,
        plan: Optional[str] = None,
        changed_since: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Dict[str, Any]:
        """A page of all users, 50 unless `limit`: `data`, and `next_cursor`, which is None on the last page."""
        return self._page("users", state=state, plan=plan, changed_since=changed_since, cursor=cursor, limit=limit)

    def list_payments(
        self,
        status: Optional[str] = None,
        created_from: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Dict[str, Any]:
        """A page of the payments of all users, newest first."""
        return self._page("payments", status=status, created_from=created_from, cursor=cursor, limit=limit)

    def list_events(self, after: Optional[str] = None, limit: Optional[int] = None) -> Dict[str, Any]:
        """
        The events of all users in one order: `data`, `has_more`, `next_cursor`. `after` is an earlier `next_cursor`;
        after 90 days it raises `Refused`.
        """
        return self._page("events", after=after, limit=limit)

    def _page(self, name: str, **query: Any) -> Dict[str, Any]:
        said = {key: value for key, value in query.items() if value is not None}
        return self._call("GET", f"/api/v1/platform/{name}?{urlencode(said)}")

    def as_person(self, person_id: str, role: Optional[str] = None) -> "Client":
        """A client whose calls a person of the account makes: an `owner` (the default), `payer` or `reader`."""
        client = copy(self)
        role_header = {} if role is None else {"Ishtirak-Billing-Role": role}
        client._person = {"Ishtirak-Person": quote(person_id, safe=""), **role_header}
        return client

    def _ask(
        self, method: str, path: str, ids: List[str], given: Any = None, part: Optional[str] = None, **how: Any
    ) -> Any:
        target = "/api/v1/platform/users" + path.format(*(quote(one, safe="") for one in ids))
        if method == "GET" and given:
            said = {name: value for name, value in given.items() if value is not None}
            target, given = f"{target}?{urlencode(said)}", None
        answer = self._call(method, target, given, **how)
        return answer if part is None else answer[part]

    def _call(
        self,
        method: str,
        path: str,
        body: Any = None,
        seconds: float = _SECONDS,
        is_file: bool = False,
        once: bool = False,
    ) -> Any:
        """Repeated once, unless `once`: every other call is idempotent."""
        within = seconds if self._timeout is None else self._timeout
        if once:
            return self._attempt(method, path, body, within, is_file)
        started_at = time.monotonic()
        try:
            # Half of the time: a server that hangs must leave some for the retry.
            return self._attempt(method, path, body, within / 2, is_file)
        except Unavailable as error:
            first = error
        left = within - (time.monotonic() - started_at)
        if (first.retry_after or 0) > left:
            raise first
        try:
            return self._attempt(method, path, body, left, is_file)
        except Unavailable as second:
            # Of two failures the one that says why.
            raise first if second.status is None else second

    def _attempt(self, method: str, path: str, body: Any, seconds: float, is_file: bool) -> Any:
        try:
            status, headers, content = self._exchange(method, path, body, seconds)
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"billing is unreachable: {error or type(error).__name__}") from error
        is_page = (headers.get("Content-Type") or "").startswith("text/html")
        answer = content if is_file and 200 <= status < 300 and not is_page else _read_json(content)
        if 200 <= status < 300 and answer is not None:
            return answer
        problem = answer if isinstance(answer, dict) else {}
        said = f"{status} {problem.get('code', '')}".strip()
        if not 400 <= status < 500 or status in (408, 429):
            seconds_text = headers.get("Retry-After") or ""
            retry_after = int(seconds_text) if re.fullmatch("[0-9]{1,9}", seconds_text) else None
            raise Unavailable(f"billing cannot answer: {said}", status, problem, retry_after)
        is_of_person = bool(self._person) and problem.get("code") == "forbidden"
        if status in (409, 410, 413, 422) or is_of_person:
            raise Refused(f"billing refused: {said}", status, problem)
        raise Misconfigured(f"billing does not take the key or the call: {said}", status, problem)

    def _exchange(self, method: str, path: str, body: Any, seconds: float) -> Tuple[int, Mapping[str, str], bytes]:
        """
        In a thread of its own: the timeout of a socket bounds each read by itself, so it bounds neither the lookup of a name
        nor a server that sends byte after byte.
        """
        connection = self._connection(self._host, timeout=seconds)
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "*/*", **self._person}
        if isinstance(body, dict):
            headers["Content-Type"] = "application/json"
        exchanged: "Future[Tuple[int, Mapping[str, str], bytes]]" = Future()
        connected = []

        def exchange() -> None:
            try:
                connection.connect()
                connected.append(connection.sock)
                text = json.dumps(body) if isinstance(body, dict) else body
                connection.request(method, self._path + path, text, headers)
                response = connection.getresponse()
                exchanged.set_result((response.status, response.headers, response.read()))
            except Exception as error:
                exchanged.set_exception(error)
            finally:
                connection.close()

        threading.Thread(target=exchange, name="ishtirak", daemon=True).start()
        try:
            return exchanged.result(seconds)
        except NoAnswer:
            # The thread ends too.
            for sock in connected:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
            raise TimeoutError(f"no answer within {seconds:.1f} s") from None


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in _CONNECTIONS
            and bool(parts.hostname)
            and parts.port != 0
            and re.search(r"[@?#\s]", url) is None
        )
    except ValueError:
        return False


def _read_json(text: bytes) -> Any:
    """None if it is neither an object nor a list."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None
