# A platform of plain WSGI, on PORT, with the plain example of clients/python/README.md.
import json
from wsgiref.simple_server import make_server

import os

from ishtirak import Client, Unavailable
from ishtirak.wsgi import VerifyEvents

billing = Client(os.environ["ISHTIRAK_URL"], os.environ["ISHTIRAK_API_KEY"])
secrets = os.environ["ISHTIRAK_EVENTS_SECRETS"].split(",")
stored = {}


def deploy(user_id, deploy_id):
    try:
        answer = billing.consume(user_id, "deploys_per_day", operation_id=deploy_id)
    except Unavailable:
        # An outage of billing stops no deploy.
        return "200 OK", f"started {deploy_id}"
    if not answer["allowed"]:
        return "429 Too Many Requests", f"again at {answer['resets_at']}"
    return "200 OK", f"started {deploy_id}"


def application(environ, start_response):
    _, place, *rest = environ["PATH_INFO"].split("/")
    user_id, headers, body = environ.get("HTTP_X_USER"), [], ""
    if place == "deploys":
        status, body = deploy(user_id, *rest)
    elif place == "portal":
        status, headers = "302 Found", [("Location", billing.open_portal(user_id)["url"])]
    elif place == "upgrade":
        status, headers = "302 Found", [("Location", billing.upgrade(user_id, "pro")["checkout_url"])]
    elif place == "billing":
        event = environ["ishtirak.event"]
        if json.load(environ["wsgi.input"])["type"] != event["type"]:
            raise ValueError("the body is another")
        stored.setdefault(event["id"], event["type"])
        status = "204 No Content"
    else:
        status, body = "200 OK", json.dumps(list(stored.values()))
    start_response(status, headers)
    return [body.encode()]


application = VerifyEvents(application, "/billing/events", secrets)
make_server("127.0.0.1", int(os.environ["PORT"]), application).serve_forever()
