import { z } from "zod";
import { JSON_TYPE, response } from "../description/responses.js";
import { ollamaError } from "./response-schema.js";

const LINES_TYPE = "application/x-ndjson";

export interface DescribedLines<Answer extends z.ZodType> {
  readonly description: string;
  /** Schema of a line, and of the single value of an answer that is not streamed. */
  readonly answer: Answer;
  readonly example: z.input<Answer>;
  /** Name of the schema of a line: an answer, or the error that ends the stream. */
  readonly lineId: string;
}

/** Describes a response as lines of JSON, or as one value. */
export function linesResponse<Answer extends z.ZodType>({
  description,
  answer,
  example,
  lineId,
}: DescribedLines<Answer>) {
  const line = z.union([answer, ollamaError]).meta({ id: lineId });
  return response({
    description,
    content: {
      [JSON_TYPE]: { schema: answer, example },
      [LINES_TYPE]: { schema: line, example },
    },
  });
}
