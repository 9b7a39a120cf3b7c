/** What mostly is behind a signal that no process of ggufd's sends itself. */
const CAUSES: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGABRT: "a failed native assertion",
  SIGBUS: "the model file was changed or truncated, or a disk failed",
  SIGKILL: "out of memory, or killed by somebody",
};

/** Why a process has ended, as its exit tells: `exit code 1`, `SIGKILL, possibly out of memory …`. */
export function exitReason(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `exit code ${code}`;
  const cause = CAUSES[signal];
  return cause === undefined ? signal : `${signal}, possibly ${cause}`;
}
