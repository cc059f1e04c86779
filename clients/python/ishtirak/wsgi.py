"""For a WSGI application: Flask, Pyramid, Bottle or none."""

import io
from typing import Any, Callable, Dict, Iterable, Sequence

from .errors import InvalidEvent
from .events import verify_event

#: Events take some 2 kB.
_BODY_MAX_BYTES = 1_048_576


class VerifyEvents:
    """
    Middleware: a request to `path` reaches the application only with a valid event, which is `environ["ishtirak.event"]`;
    others are answered 401. Requests to other paths pass.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]], path: str, secrets: Sequence[str]) -> None:
        self._application = application
        self._path = path
        self._secrets = secrets

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("PATH_INFO") != self._path:
            return self._application(environ, start_response)
        try:
            body = _read_body(environ)
            environ["ishtirak.event"] = verify_event(body, _headers_of(environ), self._secrets)
        except InvalidEvent:
            start_response("401 Unauthorized", [("Content-Length", "0")])
            return []
        environ["wsgi.input"] = io.BytesIO(body)
        return self._application(environ, start_response)


def _read_body(environ: Dict[str, Any]) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length.isdecimal() or int(length) > _BODY_MAX_BYTES:
        raise InvalidEvent("the length is unknown or too large")
    return environ["wsgi.input"].read(int(length))


def _headers_of(environ: Dict[str, Any]) -> Dict[str, str]:
    return {name[len("HTTP_") :].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
