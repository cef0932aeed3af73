/** Which form of the program this is: only the source form runs TypeScript. */
export function buildForm(): "compiled" | "portable" | "source" {
  if (Deno.build.standalone) return "compiled";
  return Deno.mainModule.endsWith(".ts") ? "source" : "portable";
}
