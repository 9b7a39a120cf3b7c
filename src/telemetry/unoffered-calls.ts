import { shortenName } from "../core/errors.js";
import type { RequestObserver } from "../core/request-observer.js";

/** Log line about an answer that calls a tool that the request did not offer. */
export interface UnofferedCallLine {
  readonly request_id: string;
  /** Tool name as the model wrote it, shortened. */
  readonly tool: string;
}

/** Output of the warnings: a logger, used at level warn. */
export interface WarningLogger {
  warn(line: UnofferedCallLine, message: string): void;
}

/**
 * Warns, once per request, of a call of a tool that the request did not offer, which is possible in
 * unconstrained output.
 */
export function warnOfUnofferedCalls(logger: WarningLogger): RequestObserver {
  return {
    begin: ({ id }) => {
      let offeredTools: readonly string[] = [];
      let hasWarned = false;
      return {
        observe: (_choice, stage) => {
          if (stage.type === "waiting") offeredTools = stage.tools ?? [];
          if (hasWarned || stage.type !== "event" || stage.event.type !== "tool-call-begin") return;
          const { name } = stage.event;
          if (offeredTools.includes(name)) return;
          hasWarned = true;
          const line = { request_id: id, tool: shortenName(name) };
          logger.warn(line, "the model called a tool that the request did not offer");
        },
        end: () => {},
      };
    },
  };
}
