"""What the calls and the verification of events raise."""

from typing import Any, Dict, Optional


class _CallFailed(Exception):
    def __init__(
        self,
        message: str,
        status: Optional[int] = None,
        problem: Optional[Dict[str, Any]] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        #: Of the answer; None where nothing was answered.
        self.status = status
        #: The body, RFC 9457; empty where it is not Ishtirak's own.
        self.problem = problem or {}
        #: Stable, such as `prepaid_limit_reached`; None where it is not Ishtirak's own.
        self.code = self.problem.get("code")
        #: In how many seconds to try again, where the answer says it.
        self.retry_after = retry_after


class Unavailable(_CallFailed):
    """No answer in time, or one that reports trouble (5xx, 429, 408). It says nothing about the user."""


class Misconfigured(_CallFailed):
    """The key, the address, a secret or the call is wrong. No outage: it lasts until it is mended."""


class Refused(_CallFailed):
    """The user's state or input does not allow it (409, 413, 422), such as `code_not_valid`."""


class InvalidEvent(Exception):
    """Not sent by Ishtirak, or not now: answer 401 and do nothing."""
