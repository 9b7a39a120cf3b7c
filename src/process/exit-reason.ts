import { reasonOf } from "../core/reason-of.js";
import { deviceFailure } from "../engine/failure-streak.js";

/** What mostly is behind a signal that no process of ggufd's sends itself. */
const CAUSES: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGABRT: "a failed native assertion",
  SIGBUS: "the model file was changed or truncated, or a disk failed",
  SIGKILL: "out of memory, or killed by somebody",
};

/** How native code, C++, ggufd and Node.js say why they end a process, in the order in which they are looked for. */
const LAST_WORDS: readonly RegExp[] = [
  /([\w.-]+\.(?:c|cc|cpp|cu|cuh|h|m|mm):\d+: .+)$/m,
  /what\(\): +(.+)$/m,
  /^ggufd \w+: (.+)$/m,
  /^((?:FATAL ERROR|\w*Error): .+)$/m,
];

/**
 * Why a process has ended, as its exit tells: `exit code 1`, `SIGKILL, possibly out of memory …`.
 * @param output the end of what it has printed, from which a failed assertion is quoted
 */
export function exitReason(
  code: number | null,
  signal: NodeJS.Signals | null,
  output: string,
): string {
  const exit = signal ?? `exit code ${code}`;
  const lastWords = LAST_WORDS.map((pattern) => pattern.exec(output)?.[1]).find(
    (words) => words !== undefined,
  );
  // Any other signal comes from without, whatever was printed before.
  const isByItself = signal === "SIGABRT" || (signal === null && code !== 0);
  if (isByItself && lastWords !== undefined) {
    const reason = reasonOf(lastWords);
    return `${exit}: ${deviceFailure(reason) ?? reason}`;
  }
  const cause = signal === null ? undefined : CAUSES[signal];
  return cause === undefined ? exit : `${exit}, possibly ${cause}`;
}
