"""The client of Ishtirak for a hosting platform: what a user may, links to pay and to the portal, and signed events."""

from .client import Client
from .errors import InvalidEvent, Misconfigured, Refused, Unavailable
from .events import verify_event

__all__ = ["Client", "InvalidEvent", "Misconfigured", "Refused", "Unavailable", "verify_event"]
