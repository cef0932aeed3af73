/**
 * What `mytty shell-init` prints: text for bash, zsh or fish. It starts no process by itself, is
 * evaluated any number of times with one effect, and leaves the prompt and `$?` as they are.
 *
 * After each command the shell looks whether its surface's live file is there; only then did an
 * agent's command end that nobody has told the end of, and the status is sent in the background.
 */

import { shellQuote } from "./shell_quote.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = typeof SHELLS[number];

export type ShellSurface = {
  readonly surfaceID: string;
  /** Variables of the surface, to be exported. */
  readonly env: Readonly<Record<string, string>>;
  /** There while work goes on in the surface. */
  readonly liveFile: string;
};

export type ShellInit = {
  /** Null where no server answers: then there are marks only. */
  readonly surface: ShellSurface | null;
  /** Words that start mytty. */
  readonly program: readonly string[];
};

export function shellInit(shell: Shell, init: ShellInit): string {
  const write = { bash, zsh, fish }[shell];
  return write(init);
}

function exportsOf({ surface }: ShellInit): string {
  return Object.entries(surface?.env ?? {}).map(([name, value]) =>
    `  export ${name}=${shellQuote(value)}\n`
  ).join("");
}

/** The report of an ended command; `status` is the variable that holds its exit status. */
function reportWords({ program, surface }: ShellInit, status: string): string {
  const words = [...program, "surface", "finished", surface?.surfaceID ?? ""].map(shellQuote);
  return `${words.join(" ")} --status "$${status}"`;
}

function liveFile({ surface }: ShellInit): string {
  return shellQuote(surface?.liveFile ?? "/dev/null/none");
}

function bash(init: ShellInit): string {
  return `if [ -n "\${BASH_VERSION-}" ] && [ "\${__mytty_shell-}" != "$$" ]; then
  __mytty_shell=$$
  __mytty_ran=
  __mytty_none=
${exportsOf(init)}  __mytty_precmd() {
    local __mytty_status=$?
    if [ -n "$__mytty_ran" ]; then
      __mytty_ran=
      printf '\\033]133;D;%s\\007' "$__mytty_status"
      if [ -e ${liveFile(init)} ]; then
        (${reportWords(init, "__mytty_status")} >/dev/null 2>&1 </dev/null &)
      fi
    fi
    printf '\\033]133;A\\007'
    case "\${PS1-}" in
      *'133;B'*) ;;
      *) PS1="\${PS1-}"'\\[\\033]133;B\\007\\]' ;;
    esac
    return "$__mytty_status"
  }
  case "\${PROMPT_COMMAND[*]-}" in
    *__mytty_precmd*) ;;
    *)
      if [ -n "\${PROMPT_COMMAND[1]-}" ]; then
        PROMPT_COMMAND=(__mytty_precmd "\${PROMPT_COMMAND[@]}")
      else
        PROMPT_COMMAND="__mytty_precmd\${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
      fi
      PS0="\${PS0-}"'\${__mytty_none:$((__mytty_ran=1, 0)):0}\\e]133;C\\a'
      ;;
  esac
fi
`;
}

function zsh(init: ShellInit): string {
  return `if [[ -n "\${ZSH_VERSION-}" && "\${__mytty_shell-}" != "$$" ]]; then
  typeset -g __mytty_shell=$$ __mytty_ran=
${exportsOf(init)}  __mytty_preexec() {
    __mytty_ran=1
    printf '\\033]133;C\\007'
  }
  __mytty_precmd() {
    local __mytty_status=$?
    if [[ -n "$__mytty_ran" ]]; then
      __mytty_ran=
      printf '\\033]133;D;%s\\007' "$__mytty_status"
      if [[ -e ${liveFile(init)} ]]; then
        (${reportWords(init, "__mytty_status")} >/dev/null 2>&1 </dev/null &)
      fi
    fi
    printf '\\033]133;A\\007'
    if [[ "\${PS1-}" != *'133;B'* ]]; then PS1="\${PS1-}"$'%{\\e]133;B\\a%}'; fi
    return $__mytty_status
  }
  typeset -ga precmd_functions preexec_functions
  precmd_functions=(__mytty_precmd \${precmd_functions:#__mytty_precmd})
  preexec_functions=(__mytty_preexec \${preexec_functions:#__mytty_preexec})
fi
`;
}

/** Fish writes its own marks from version 4 on. */
function fish(init: ShellInit): string {
  const exports = Object.entries(init.surface?.env ?? {}).map(([name, value]) =>
    `  set -gx ${name} ${fishQuote(value)}\n`
  ).join("");
  const live = fishQuote(init.surface?.liveFile ?? "/dev/null/none");
  const words = [...init.program, "surface", "finished", init.surface?.surfaceID ?? ""];
  return `if not set -q __mytty_shell; or test "$__mytty_shell" != $fish_pid
  set -g __mytty_shell $fish_pid
${exports}  set -g __mytty_marks 1
  if string match -qr '^([4-9]|[1-9][0-9])' -- $version
    set -g __mytty_marks 0
  end
  function __mytty_prompt --on-event fish_prompt
    test $__mytty_marks = 1; and printf '\\033]133;A\\007'
  end
  function __mytty_preexec --on-event fish_preexec
    test $__mytty_marks = 1; and printf '\\033]133;C\\007'
  end
  function __mytty_postexec --on-event fish_postexec
    set -l code $status
    test $__mytty_marks = 1; and printf '\\033]133;D;%s\\007' $code
    if test -e ${live}
      command ${words.map(fishQuote).join(" ")} --status $code >/dev/null 2>&1 </dev/null &
      disown 2>/dev/null
    end
  end
end
`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
