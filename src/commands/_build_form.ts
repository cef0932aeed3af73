/** Which form of the program this is; the portable form says so through its launcher. */
export function buildForm(): "compiled" | "portable" | "source" {
  if (Deno.build.standalone) return "compiled";
  return Deno.env.get("MYTTY_BUILD_FORM") === "portable" ? "portable" : "source";
}
