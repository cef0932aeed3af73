/** Pure: the shells' completion scripts, made from what each command takes. */

export type CompletionFlag = {
  readonly name: string;
  /** Null when it takes no value; empty when any value may be given. */
  readonly values: readonly string[] | null;
};

/** One command, or one command of another: `surface open`. */
export type CompletionSpec = {
  readonly path: string;
  readonly summary: string;
  readonly flags: readonly CompletionFlag[];
  /** Known words for its arguments, commands of its own among them. */
  readonly words: readonly string[];
};

export const COMPLETION_SCRIPTS: Readonly<
  Record<string, (specs: readonly CompletionSpec[]) => string>
> = { bash, zsh, fish };

const GLOBAL = ["--help", "--version"];

function isTop({ path }: CompletionSpec): boolean {
  return !path.includes(" ");
}

function flagWords({ flags }: CompletionSpec): string[] {
  return flags.map(({ name }) => name);
}

/** `case` branches: values after a flag, flags after a dash, else words, or flags where none are. */
function branches(
  specs: readonly CompletionSpec[],
  line: (words: readonly string[]) => string,
): string {
  const ofFlags = specs.flatMap(({ path, flags }) =>
    flags.filter(({ values }) => values !== null)
      .map(({ name, values }) => `    "${path} ${name}":*) ${line(values!)} ;;`)
  );
  const afterDash = specs.map((spec) => `    "${spec.path} "*:-*) ${line(flagWords(spec))} ;;`);
  const others = specs.map((spec) => {
    const words = spec.words.length > 0 ? spec.words : flagWords(spec);
    return `    "${spec.path} "*:*) ${line(words)} ;;`;
  });
  // Longer paths first: "surface open " also begins with "surface ".
  const longFirst = (lines: string[]) => lines.toSorted((a, b) => (depth(b) - depth(a)));
  return [...ofFlags, ...longFirst([...afterDash]), ...longFirst(others)].join("\n");
}

function depth(line: string): number {
  return line.split('"')[1]!.split(" ").length;
}

/** The paths of commands of commands, as words of a `case`. */
function subPaths(specs: readonly CompletionSpec[]): string[] {
  return specs.filter((spec) => !isTop(spec)).map(({ path }) => `"${path}"`);
}

function bash(specs: readonly CompletionSpec[]): string {
  const tops = specs.filter(isTop).map(({ path }) => path);
  return `_mytty() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" at
  local path="\${COMP_WORDS[1]}"
  COMPREPLY=()
  for ((at = 2; at < COMP_CWORD; at++)); do
    # From here on it is another program's command line.
    if [ "\${COMP_WORDS[at]}" = -- ]; then return; fi
    case "$path \${COMP_WORDS[at]}" in
    ${subPaths(specs).join(" | ")}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...tops, ...GLOBAL].join(" ")}"
  else
    case "$path $before:$current" in
${branches(specs, (words) => `words="${words.join(" ")}"`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _mytty mytty
`;
}

function zsh(specs: readonly CompletionSpec[]): string {
  const list = specs.filter(isTop)
    .map(({ path, summary }) => `    '${path}:${summary.replaceAll("'", "")}'`);
  const line = (words: readonly string[]) =>
    words.length === 0 ? "_files" : `compadd -- ${words.join(" ")}`;
  return `#compdef mytty
_mytty() {
  local -a commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then
    if [[ "$words[CURRENT]" == -* ]]; then compadd -- ${GLOBAL.join(" ")}; fi
    _describe command commands
    return
  fi
  local path_="$words[2]" at
  for ((at = 3; at < CURRENT; at++)); do
    # From here on it is another program's command line.
    if [[ "$words[at]" == -- ]]; then _files; return; fi
    case "$path_ $words[at]" in
    ${subPaths(specs).join(" | ")}) path_="$path_ $words[at]" ;;
    esac
  done
  case "$path_ $words[CURRENT-1]:$words[CURRENT]" in
${branches(specs, line)}
  esac
}
if [[ "$funcstack[1]" == _mytty ]]; then _mytty "$@"; else compdef _mytty mytty; fi
`;
}

function fish(specs: readonly CompletionSpec[]): string {
  const paths = subPaths(specs).join(" ");
  const lines = specs.flatMap((spec) => {
    const at = `complete -c mytty -n '__mytty_at "${spec.path}"'`;
    const values = spec.flags.map(({ name, values }) => {
      const long = `${at} -l ${name.slice(2)}`;
      if (values === null) return `${long} -f`;
      return values.length === 0 ? `${long} -r -F` : `${long} -x -a '${values.join(" ")}'`;
    });
    return [...spec.words.length > 0 ? [`${at} -f -a '${spec.words.join(" ")}'`] : [], ...values];
  });
  const tops = specs.filter(isTop).map(({ path, summary }) =>
    `complete -c mytty -n __fish_use_subcommand -f -a ${path} -d '${summary.replaceAll("'", "")}'`
  );
  return `function __mytty_at
  set -l words (commandline -opc)
  set -l path "$words[2]"
  for word in $words[3..-1]
    # From here on it is another program's command line.
    test "$word" = --; and return 1
    if contains -- "$path $word" ${paths}
      set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
${tops.join("\n")}
${lines.join("\n")}
`;
}
