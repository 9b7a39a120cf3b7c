import type { Logger } from "pino";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { FileLock } from "../../files/file-lock.js";
import type { RequestReporter } from "../record-requests.js";
import { AnswerContent, formatContentLine } from "./content-line.js";
import { RotatedFile } from "./rotated-file.js";
import { withoutMedia } from "./without-media.js";

/** Output of the log. */
export interface ContentLines {
  /** Never waits. @param line with its line break */
  write(line: string): void;
}

/** Writes a line for each request whose body it receives. */
export function createContentReporter(lines: ContentLines): RequestReporter {
  return {
    begin: () => {
      let body: string | undefined;
      const contents = new Map<number, AnswerContent>();
      return {
        receiveBody(received) {
          // Printed at once: the text takes less memory than the values, and no media.
          body = JSON.stringify(withoutMedia(received)) ?? "null";
        },
        observe(choice, stage) {
          if (body === undefined || stage.type !== "event") return;
          const content = contents.get(choice) ?? new AnswerContent();
          contents.set(choice, content);
          content.observe(stage.event);
        },
        complete(record) {
          if (body !== undefined) lines.write(formatContentLine(record, body, contents));
        },
      };
    },
  };
}

/** An open log of prompts and answers. */
export interface ContentLog {
  readonly reporter: RequestReporter;
  /** Lines that could not be written. */
  readonly droppedLines: number;
  /** Resolves when all lines are written or dropped. */
  close(): Promise<void>;
}

export interface ContentLogOptions {
  readonly path: string;
  /** Size of all files together, in bytes. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly logger: Pick<Logger, "error">;
}

const FLAG = "--log-content";

/**
 * Opens the log, and locks other daemons out of it, whose rotation would remove lines.
 * @throws {StartupError} if the file cannot be opened, or another daemon has it
 */
export async function openContentLog({
  path,
  maxBytes,
  maxAgeMs,
  logger,
}: ContentLogOptions): Promise<ContentLog> {
  try {
    const lock = await FileLock.acquire(`${path}.lock`);
    const reportLoss = (reason: string) =>
      logger.error({ reason }, `${FLAG} ${path}: lines are lost`);
    const file = await RotatedFile.open(path, { maxBytes, maxAgeMs, reportLoss }).catch(
      async (error: unknown) => {
        await lock.release();
        throw error;
      },
    );
    return {
      reporter: createContentReporter(file),
      get droppedLines() {
        return file.droppedLines;
      },
      async close() {
        await file.close();
        await lock.release();
      },
    };
  } catch (error) {
    throw new StartupError(`${FLAG} ${path}: cannot be opened: ${formatReason(error)}`, error);
  }
}
