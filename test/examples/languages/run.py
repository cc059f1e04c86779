# For each line {"command", "arguments", "input"} of standard input: calls a method of the client, `consume URL KEY USER
# LIMIT OPERATION`, or `verify NOW SECRET…` with {headers, body}, and prints what came of it as a line of JSON.
import json
import re
import sys
import threading

from ishtirak import Client, InvalidEvent, Misconfigured, Refused, Unavailable, verify_event

def snake_cased(name):
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def call(client, command, arguments):
    if command == "as reader":
        command, *arguments = arguments
        client = client.as_person("lina", "reader")
    fields = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
    if command == "setMetadata":
        arguments, fields = [*arguments, fields], {}
    if command == "uploadProof":
        arguments[-1] = arguments[-1].encode()
    answer = getattr(client, snake_cased(command))(*arguments, **fields)
    return answer[:5].decode() if isinstance(answer, bytes) else answer


def answer(command, arguments, given):
    try:
        if command == "verify":
            now, *secrets = arguments
            return json.dumps(verify_event(given["body"].encode(), given["headers"], secrets, int(now)))
        url, key, *arguments = arguments
        return json.dumps(call(Client(url, key), command, arguments))
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
