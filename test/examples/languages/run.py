# Calls a method of the client, `consume URL KEY USER LIMIT OPERATION`, or `verify NOW SECRET…` with {headers, body} on
# standard input.
import json
import sys
import threading

from ishtirak import Client, InvalidEvent, Misconfigured, Refused, Unavailable, verify_event

NAMES = {"openPortal": "open_portal"}

command, *arguments = sys.argv[1:]
try:
    if command == "verify":
        given = json.load(sys.stdin)
        now, *secrets = arguments
        print(json.dumps(verify_event(given["body"].encode(), given["headers"], secrets, int(now))))
    else:
        url, key, *arguments = arguments
        print(json.dumps(getattr(Client(url, key), NAMES.get(command, command))(*arguments)))
except Misconfigured as error:
    print(f"misconfigured: {error}", end="")
except Unavailable as error:
    print(f"unavailable: {error}", end="")
except Refused as error:
    print(f"refused: {error.code}", end="")
except InvalidEvent as error:
    print(f"invalid: {error}", end="")
# A call that was given up leaves no thread that goes on.
for thread in threading.enumerate():
    if thread is not threading.current_thread():
        thread.join()
