/** What is in a folder: every path with its kind, mode, and what it holds. */

export function treeOf(folder: string): Map<string, string> {
  const tree = new Map<string, string>();
  const visit = (path: string) => {
    const info = Deno.lstatSync(path);
    const mode = ((info.mode ?? 0) & 0o7777).toString(8);
    const holds = info.isSymlink
      ? `-> ${Deno.readLinkSync(path)}`
      : info.isFile
      ? Deno.readTextFileSync(path)
      : "";
    tree.set(path.slice(folder.length), `${mode} ${holds}`);
    if (!info.isDirectory) return;
    for (const { name } of Deno.readDirSync(path)) visit(`${path}/${name}`);
  };
  visit(folder);
  return new Map([...tree].sort(([left], [right]) => left < right ? -1 : 1));
}
