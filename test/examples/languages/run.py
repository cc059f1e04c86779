# For each line {"command", "arguments", "input"} of standard input: calls a method of the client, `consume URL KEY USER
# LIMIT OPERATION`, or `verify NOW SECRET…` with {headers, body}, and prints what came of it as a line of JSON.
import json
import sys
import threading

from ishtirak import Client, InvalidEvent, Misconfigured, Refused, Unavailable, verify_event

NAMES = {
    "openPortal": "open_portal",
    "startTrial": "start_trial",
    "listUsers": "list_users",
    "listPayments": "list_payments",
    "listEvents": "list_events",
    "setMetadata": "set_metadata",
}


def answer(command, arguments, given):
    try:
        if command == "verify":
            now, *secrets = arguments
            return json.dumps(verify_event(given["body"].encode(), given["headers"], secrets, int(now)))
        url, key, *arguments = arguments
        arguments += [given] if given else []
        return json.dumps(getattr(Client(url, key), NAMES.get(command, command))(*arguments))
    except Misconfigured as error:
        return f"misconfigured: {error}"
    except Unavailable as error:
        return f"unavailable: {error}"
    except Refused as error:
        return f"refused: {error.code}"
    except InvalidEvent as error:
        return f"invalid: {error}"


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(answer(asked["command"], asked["arguments"], asked["input"])), flush=True)
# A call that was given up leaves no thread that goes on.
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join()
