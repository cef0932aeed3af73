/** The words that start this very program again, whatever form it has. */

import { fileURLToPath } from "node:url";
import { buildForm } from "./_build_form.ts";

export function ownProgram(): string[] {
  switch (buildForm()) {
    case "compiled":
      return [Deno.execPath()];
    case "portable":
      return [Deno.env.get("MYTTY_SELF") ?? Deno.execPath()];
    case "source":
      return [
        Deno.execPath(),
        "run",
        "-A",
        fileURLToPath(new URL("../../main.ts", import.meta.url)),
      ];
  }
}
