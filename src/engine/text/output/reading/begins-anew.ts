import type { OutputReading } from "../output-reading.js";

/** Whether an answer begins where the prompt ends, rather than to go on with what the prompt has begun. */
export function beginsAnew({ beginsWith }: Pick<OutputReading, "beginsWith">): boolean {
  return beginsWith === "anything" || beginsWith === "optional-reasoning";
}
