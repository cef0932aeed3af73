# The usual Python hook: read the payload, post it, wait for the answer.
import json
import sys
import urllib.request

payload = json.load(sys.stdin)
body = {
    "source": "bench",
    "session": payload["session_id"],
    "kind": payload["hook_event_name"],
    "payload": payload,
}
request = urllib.request.Request(sys.argv[1], data=json.dumps(body).encode(), method="POST")
try:
    urllib.request.urlopen(request, timeout=5).read()
except OSError:
    pass
