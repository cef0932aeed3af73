/** All wires that the fake API speaks; the first that knows a path answers it. */

import type { Adapter } from "./adapter.ts";
import { ANTHROPIC } from "./anthropic.ts";
import { CHAT_COMPLETIONS } from "./chat_completions.ts";
import { GEMINI } from "./gemini.ts";
import { RESPONSES } from "./responses.ts";

export const ADAPTERS: readonly Adapter[] = [ANTHROPIC, RESPONSES, CHAT_COMPLETIONS, GEMINI];
