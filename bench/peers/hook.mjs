// The usual Node hook: read the payload, post it, wait for the answer.
let text = "";
for await (const part of process.stdin) text += part;
const payload = JSON.parse(text);
const body = {
  source: "bench",
  session: payload.session_id,
  kind: payload.hook_event_name,
  payload,
};
await fetch(process.argv[2], { method: "POST", body: JSON.stringify(body) }).catch(() => {});
