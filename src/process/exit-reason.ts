import { formatReason } from "../core/format-reason.js";
import { describeDeviceFailure } from "../engine/failure-streak.js";

/** Usual causes of signals that ggufd's processes do not send themselves. */
const CAUSES: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGABRT: "a failed native assertion",
  SIGBUS: "the model file was changed or truncated, or a disk failed",
  SIGKILL: "out of memory, or killed by another process",
  // V8 ends a process whose address space it cannot extend.
  SIGTRAP: "out of memory",
};

/**
 * Patterns of the messages with which native code, C++, ggufd and Node.js explain why they end a
 * process, in order of precedence.
 */
const EXIT_MESSAGES: readonly RegExp[] = [
  /([\w.-]+\.(?:c|cc|cpp|cu|cuh|h|m|mm):\d+: .+)$/m,
  /what\(\): +(.+)$/m,
  /^ggufd \w+: (.+)$/m,
  /^((?:FATAL ERROR|\w*Error): .+)$/m,
];

/**
 * Describes why a process exited: `exit code 1`, `SIGKILL, possibly out of memory …`.
 * @param output end of the process's output, from which a failed assertion is quoted
 */
export function describeExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  output: string,
): string {
  const exit = signal ?? `exit code ${code}`;
  const exitMessage = EXIT_MESSAGES.map((pattern) => pattern.exec(output)?.[1]).find(
    (words) => words !== undefined,
  );
  // Any other signal comes from outside the process, whatever was printed before.
  const exitedByItself = signal === "SIGABRT" || (signal === null && code !== 0);
  if (exitedByItself && exitMessage !== undefined) {
    const reason = formatReason(exitMessage);
    return `${exit}: ${describeDeviceFailure(reason) ?? reason}`;
  }
  const cause = signal === null ? undefined : CAUSES[signal];
  return cause === undefined ? exit : `${exit}, possibly ${cause}`;
}
