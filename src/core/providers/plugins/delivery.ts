/**
 * What our plugin entry points share, as source text: they run inside the agent, which awaits them,
 * so they must neither throw nor block. Plain JavaScript that Node and Bun both run.
 */

export type DeliveryOptions = { readonly launcher: string; readonly provider: string };

/** Keeps a host's own objects small: they may hold whole diffs and files. */
export const BOUNDED = `
const MAX_TEXT = 2000;

function bounded(value, depth = 0) {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "object" || depth > 5) return undefined;
  if (Array.isArray(value)) return value.slice(0, 20).map((part) => bounded(part, depth + 1) ?? null);
  const entries = Object.entries(value).slice(0, 40);
  return Object.fromEntries(entries.map(([key, part]) => [key, bounded(part, depth + 1)]));
}
`;

/** \`deliver(payload)\` in order, one launcher at a time; silent when it is gone or hangs. */
export function deliverySource({ launcher, provider }: DeliveryOptions): string {
  return `
const LAUNCHER = ${JSON.stringify(launcher)};
const PROVIDER = ${JSON.stringify(provider)};
/** The launcher ends within 400 ms; past this something is broken, and only we may suffer. */
const PATIENCE_MS = 2000;
const MAX_WAITING = 64;

const waiting = [];
let isPumping = false;
let launchFailed = () => {};

function deliver(payload) {
  try {
    waiting.push(JSON.stringify(payload));
    if (waiting.length > MAX_WAITING) waiting.shift();
    if (!isPumping) pump();
  } catch {}
}

async function pump() {
  isPumping = true;
  try {
    while (waiting.length > 0) await launch(waiting.shift()).catch(() => {});
  } finally {
    isPumping = false;
  }
}

/** Not unref'd: a print run may exit right after its last event. */
function launch(text) {
  return new Promise((resolve) => {
    const child = spawn(LAUNCHER, [PROVIDER], { stdio: ["pipe", "ignore", "ignore"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve();
    }, PATIENCE_MS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    child.on("error", () => {
      launchFailed();
      done();
    });
    child.on("close", done);
    child.stdin.on("error", () => {});
    child.stdin.end(text);
  });
}

/** All delivered, or given up after a second. */
async function drained() {
  const deadline = Date.now() + 1000;
  while (isPumping && Date.now() < deadline) await new Promise((next) => setTimeout(next, 10));
}
`;
}
