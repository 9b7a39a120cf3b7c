import { z } from "zod";
import { JSON_TYPE, response } from "../description/responses.js";
import { ollamaError } from "./response-schema.js";

const LINES_TYPE = "application/x-ndjson";

export interface DescribedLines<Answer extends z.ZodType> {
  readonly description: string;
  /** Of a line, and of the one value of an answer that is no stream. */
  readonly answer: Answer;
  readonly example: z.input<Answer>;
  /** Name of the schema of a line, which is an answer or the error that ends it. */
  readonly lineId: string;
}

/** A response in lines of JSON, or in one value. */
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
