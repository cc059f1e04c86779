"""For Django: a decorator for the view that the events come to."""

from functools import wraps
from typing import Any, Callable, Dict, Optional

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .errors import InvalidEvent
from .events import verify_event

_View = Callable[..., Optional[HttpResponse]]


def receives_events(view: _View) -> Callable[..., HttpResponse]:
    """
    Calls `view(request, event, …)` with an event that is signed with one of `settings.ISHTIRAK_EVENTS_SECRETS`, and answers
    401 to all else. A view that returns None is answered 204, one that raises 500, and then the event comes again.
    """

    @csrf_exempt
    @require_POST
    @wraps(view)
    def receive(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            event: Dict[str, Any] = verify_event(request.body, request.headers, settings.ISHTIRAK_EVENTS_SECRETS)
        except InvalidEvent:
            return HttpResponse(status=401)
        answer = view(request, event, *args, **kwargs)
        return HttpResponse(status=204) if answer is None else answer

    return receive
