"""The calls of the platform, each bounded in time as a whole and repeated once where its outcome is unknown."""

import http.client
import json
import re
import socket
import threading
import time
from concurrent.futures import Future, TimeoutError as NoAnswer
from contextlib import suppress
from typing import Any, Dict, Mapping, Optional, Tuple
from urllib.parse import quote, urlencode, urlsplit

from .errors import Misconfigured, Refused, Unavailable

_CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
_SECONDS = 2.0
#: The service answers a purchase within 6 seconds, and there may be two attempts.
_PURCHASE_SECONDS = 14.0


class Client:
    """
    `url` is where Ishtirak is, `api_key` one of its PLATFORM_API_KEYS. `timeout` is in seconds, for a whole call: looking
    the name up, the one retry and reading the answer included. Unset: 2, for `upgrade` 14.

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

    def consume(
        self,
        user_id: str,
        limit: str,
        operation_id: str,
        amount: int = 1,
        project_id: Optional[str] = None,
        scope_id: Optional[str] = None,
    ) -> Dict[str, Any]:
        """
        Whether the user may: `allowed`, `limit`, `used`, `remaining`, `resets_at`, `reason`. A no is an answer. The same
        `operation_id` counts once.
        """
        body = _given(operation_id=operation_id, amount=amount, project_id=project_id, scope_id=scope_id)
        return self._call("POST", _limit_path(user_id, limit, "consume"), "allowed", body)

    def release(
        self,
        user_id: str,
        limit: str,
        operation_id: str,
        amount: Optional[int] = None,
        consume_operation_id: Optional[str] = None,
        project_id: Optional[str] = None,
        scope_id: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Gives back what was consumed under `consume_operation_id` or `operation_id`, or `amount` of what is in use."""
        body = _given(
            operation_id=operation_id,
            amount=amount,
            consume_operation_id=consume_operation_id,
            project_id=project_id,
            scope_id=scope_id,
        )
        return self._call("POST", _limit_path(user_id, limit, "release"), "allowed", body)

    def user(self, user_id: str) -> Dict[str, Any]:
        """Plan, status, end of the paid time, limits and usage of a user."""
        return self._call("GET", _user_path(user_id), "user_id")

    def open_portal(self, user_id: str, return_path: Optional[str] = None) -> Dict[str, Any]:
        """A link into the portal, `url`, until `expires_at`: it works once, so send the user there at once."""
        body = _given(return_path=return_path)
        return self._call("POST", f"{_user_path(user_id)}/portal-sessions", "url", body)

    def upgrade(self, user_id: str, plan: str) -> Dict[str, Any]:
        """A month of the plan, `payment_id`: send the user to `checkout_url`. A repetition gives the same payment.

        Also the renewal. Raises `Refused` with `already_subscribed` before the renewal window.
        """
        path = f"{_user_path(user_id)}/upgrade"
        return self._call("POST", path, "checkout_url", {"plan": plan}, _PURCHASE_SECONDS)

    def start_trial(self, user_id: str, plan: str) -> Dict[str, Any]:
        """
        The plan's trial: `plan`, `status`, `current_period_end`. It is sent once: a second trial is `Refused`, `conflict`.
        """
        return self._call("POST", f"{_user_path(user_id)}/trial", "current_period_end", {"plan": plan}, once=True)

    def list_users(
        self,
        state: Optional[str] = None,
        plan: Optional[str] = None,
        changed_since: Optional[str] = None,
        cursor: Optional[str] = None,
    ) -> Dict[str, Any]:
        """
        A page of all users, or of those of a state or plan, or of those that changed since an instant: `data`. The next
        page is asked for with its `next_cursor`; None: it was the last.
        """
        return self._page("users", state=state, plan=plan, changed_since=changed_since, cursor=cursor)

    def list_payments(
        self, status: Optional[str] = None, created_from: Optional[str] = None, cursor: Optional[str] = None
    ) -> Dict[str, Any]:
        """A page of the payments of all users, newest first. The next page is asked for with its `next_cursor`."""
        return self._page("payments", status=status, created_from=created_from, cursor=cursor)

    def list_events(self, after: Optional[str] = None) -> Dict[str, Any]:
        """
        The events of all users in one order: `data`, `has_more`, `next_cursor`. `after` is `next_cursor` of an earlier
        answer; after 90 days it raises `Refused`.
        """
        return self._page("events", after=after)

    def _page(self, name: str, **query: Optional[str]) -> Dict[str, Any]:
        return self._call("GET", f"/api/v1/platform/{name}?{urlencode(_given(**query))}", "data")

    def set_metadata(self, user_id: str, payment_id: str, metadata: Mapping[str, str]) -> Dict[str, Any]:
        """Replaces what the platform notes at a payment: at most 20 names of 40 characters, with texts of 500."""
        path = f"{_user_path(user_id)}/payments/{quote(payment_id, safe='')}/metadata"
        return self._call("PUT", path, "metadata", {"metadata": metadata})

    def _call(
        self,
        method: str,
        path: str,
        expected: str,
        body: Optional[Mapping[str, Any]] = None,
        seconds: float = _SECONDS,
        once: bool = False,
    ) -> Dict[str, Any]:
        """Repeated once where that is idempotent. `expected` is a field that the answer has."""
        within = seconds if self._timeout is None else self._timeout
        if once:
            return self._attempt(method, path, expected, body, within)
        started_at = time.monotonic()
        try:
            # Half of the time: a server that hangs must leave some for the retry.
            return self._attempt(method, path, expected, body, within / 2)
        except Unavailable as error:
            first = error
        left = within - (time.monotonic() - started_at)
        if (first.retry_after or 0) > left:
            raise first
        try:
            return self._attempt(method, path, expected, body, left)
        except Unavailable as second:
            # Of two failures the one that says why.
            raise first if second.status is None else second

    def _attempt(
        self, method: str, path: str, expected: str, body: Optional[Mapping[str, Any]], seconds: float
    ) -> Dict[str, Any]:
        try:
            status, headers, text = self._exchange(method, path, body, seconds)
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(f"billing is unreachable: {error or type(error).__name__}") from error
        answer = _read_object(text)
        if 200 <= status < 300 and expected in answer:
            return answer
        said = f"{status} {answer.get('code', '')}".strip()
        if not 400 <= status < 500 or status in (408, 429):
            seconds_text = headers.get("Retry-After") or ""
            retry_after = int(seconds_text) if re.fullmatch("[0-9]{1,9}", seconds_text) else None
            raise Unavailable(f"billing cannot answer: {said}", status, answer, retry_after)
        if status in (409, 410):
            raise Refused(f"billing refused: {said}", status, answer)
        raise Misconfigured(f"billing does not take the key or the call: {said}", status, answer)

    def _exchange(
        self, method: str, path: str, body: Optional[Mapping[str, Any]], seconds: float
    ) -> Tuple[int, Mapping[str, str], bytes]:
        """
        In a thread of its own: the timeout of a socket bounds each read by itself, so it bounds neither the lookup of a name
        nor a server that sends byte after byte.
        """
        connection = self._connection(self._host, timeout=seconds)
        headers = {"Authorization": f"Bearer {self._api_key}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        exchanged: "Future[Tuple[int, Mapping[str, str], bytes]]" = Future()
        connected = []

        def exchange() -> None:
            try:
                connection.connect()
                connected.append(connection.sock)
                text = None if body is None else json.dumps(body)
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


def _user_path(user_id: str) -> str:
    return f"/api/v1/platform/users/{quote(user_id, safe='')}"


def _limit_path(user_id: str, limit: str, action: str) -> str:
    return f"{_user_path(user_id)}/limits/{quote(limit, safe='')}/{action}"


def _given(**fields: Any) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _read_object(text: bytes) -> Dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
