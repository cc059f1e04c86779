"""Verifies events as Standard Webhooks (standardwebhooks.com) says: an event that is not valid is never parsed."""

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, Mapping, Optional

from .errors import InvalidEvent, Misconfigured

_TOLERANCE_SECONDS = 300


def verify_event(
    body: bytes, headers: Mapping[str, str], secrets: Iterable[str], now: Optional[float] = None
) -> Dict[str, Any]:
    """
    The event of this raw body: `type`, `timestamp`, `data`, and `id`, the same when the event comes again. `secrets` are
    `whsec_…`, the old and the new one while they are rotated. `now` is in seconds since the epoch.

    Raises `InvalidEvent`, or `Misconfigured` where there is no secret, or one is malformed.
    """
    keys = [_read_secret(secret) for secret in secrets]
    if not keys:
        raise Misconfigured("no secret of the events is set")
    found = {name.lower(): value for name, value in headers.items()}
    event_id, sent_at = found.get("webhook-id", ""), found.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", sent_at):
        raise InvalidEvent("the timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(sent_at)) > _TOLERANCE_SECONDS:
        raise InvalidEvent("not of these five minutes")
    signed = f"{event_id}.{sent_at}.".encode() + body
    signatures = [text.encode() for text in found.get("webhook-signature", "").split(" ")]
    for key in keys:
        expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, signature) for signature in signatures):
            return {**json.loads(body), "id": event_id}
    raise InvalidEvent("not signed with a known secret")


def _read_secret(secret: str) -> bytes:
    # A variable of the environment that is not set, or that holds no ASCII.
    is_secret = isinstance(secret, str) and secret.startswith("whsec_")
    try:
        key = base64.b64decode(secret[len("whsec_") :], validate=True) if is_secret else b""
    except ValueError:
        key = b""
    if not key:
        raise Misconfigured("a secret of the events is whsec_ followed by base64")
    return key
