# The usual shell hook: jq takes the payload apart, curl posts it.
payload=$(cat)
body=$(jq -c '{source: "bench", session: .session_id, kind: .hook_event_name, payload: .}' <<<"$payload")
curl -s -X POST -H 'content-type: application/json' -d "$body" "$1" || true
