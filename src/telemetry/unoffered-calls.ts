import { shortenedName } from "../core/errors.js";
import type { RequestObserver } from "../core/request-observer.js";

/** A line about a request whose answer calls what the request did not offer. */
export interface UnofferedCallLine {
  readonly request_id: string;
  /** The name as the model wrote it, shortened. */
  readonly tool: string;
}

/** What such lines are written to: a logger, at level warn. */
export interface WarningLogger {
  warn(line: UnofferedCallLine, message: string): void;
}

/** Warns, once for each request, of a call of a tool that it did not offer, as a model may write that is free. */
export function unofferedCalls(logger: WarningLogger): RequestObserver {
  return {
    begin: ({ id }) => {
      let offered: readonly string[] = [];
      let hasWarned = false;
      return {
        observe: (_choice, stage) => {
          if (stage.type === "waiting") offered = stage.tools ?? [];
          if (hasWarned || stage.type !== "event" || stage.event.type !== "tool-call-begin") return;
          const { name } = stage.event;
          if (offered.includes(name)) return;
          hasWarned = true;
          const line = { request_id: id, tool: shortenedName(name) };
          logger.warn(line, "the model called a tool that the request did not offer");
        },
        end: () => {},
      };
    },
  };
}
