# Calls what docs/integrate.md shows: `token SECRET USER`, `consume URL KEY USER LIMIT OPERATION`, or `verify NOW SECRET…` with
# {headers, body} on standard input.
import json
import sys

from ishtirak import BillingMisconfigured, BillingUnavailable, InvalidEvent, consume, user_token, verify_event

command, *arguments = sys.argv[1:]
try:
    if command == "token":
        print(user_token(*arguments), end="")
    elif command == "consume":
        print(json.dumps(consume(*arguments)))
    else:
        given = json.load(sys.stdin)
        now, *secrets = arguments
        print(json.dumps(verify_event(given["body"].encode(), given["headers"], secrets, int(now))))
except BillingMisconfigured as error:
    print(f"misconfigured: {error}", end="")
except BillingUnavailable as error:
    print(f"unavailable: {error}", end="")
except InvalidEvent as error:
    print(f"refused: {error}", end="")
