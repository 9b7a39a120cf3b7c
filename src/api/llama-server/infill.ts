import { z } from "zod";
import type { ChoiceEvent } from "../../core/generation-event.js";
import type { RawGenerationRequest } from "../../core/generation-request.js";
import type { GenerationModel } from "../../core/model-directory.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { text, trueOrFalse } from "../../validation/fields.js";
import { collectAnswer } from "../answers/collected-answer.js";
import { toConstraint } from "../fields/constraint.js";
import { allowNullWhereOptional } from "../fields/nulls.js";
import { countFields, endingFields, toEnding } from "./answer.js";
import { nativeFields, type SharedNames, toNativeParameters } from "./parameters.js";

const MAX_FILES = 1_000;

const file = z
  .looseObject({ filename: text().nullish(), text: text() }, { error: "expected an object" })
  .meta({ id: "InfillFile" });

/** Body of `POST /infill`, after nulls, which mean absent, have been removed. */
export const infillRequest = z
  .looseObject(
    {
      ...nativeFields(),
      input_prefix: text().meta({ description: "The text before the gap." }),
      input_suffix: text().meta({ description: "The text after the gap." }),
      input_extra: boundedArray(z.array(file, { error: "expected an array of files" }), {
        max: MAX_FILES,
        of: "files",
      })
        .optional()
        .meta({ description: "Other files of the project, as context." }),
      prompt: text().optional().meta({ description: "Text that the gap begins with." }),
      stream: trueOrFalse()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "InfillRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

type InfillRequest = z.output<typeof infillRequest>;

type SharedRequest = SharedNames<InfillRequest>;

const UNNAMED_FILE = "unnamed";

/** Translates an infill request for the engine. */
export function toInfillGeneration(body: SharedRequest, id: string): RawGenerationRequest {
  return {
    id,
    prompt: {
      type: "infill",
      prefix: body.input_prefix + (body.prompt ?? ""),
      suffix: body.input_suffix,
      field: findLongestField(body),
      suffixField: "input_suffix",
      files: (body.input_extra ?? []).map(({ filename, text }) => ({
        name: filename ?? UNNAMED_FILE,
        text,
      })),
    },
    ...toNativeParameters(body),
    constraint: toConstraint(body),
  };
}

/** Returns the longest field of the prompt, which the error names if the prompt does not fit. */
function findLongestField({
  input_prefix,
  input_suffix,
  input_extra = [],
  prompt = "",
}: SharedRequest): string {
  const lengths = {
    input_prefix: input_prefix.length,
    input_suffix: input_suffix.length,
    input_extra: input_extra.reduce((sum, { text }) => sum + text.length, 0),
    prompt: prompt.length,
  };
  const [longest] = Object.entries(lengths).toSorted(([, a], [, b]) => b - a);
  return longest?.[0] ?? "input_prefix";
}

const common = { index: z.literal(0), content: z.string() };

/** Complete answer, and also the last event of a stream, whose content is empty. */
export const infillAnswer = z
  .object({ ...common, ...endingFields, model: z.string() })
  .meta({ id: "InfillAnswer" });

type InfillAnswer = z.infer<typeof infillAnswer>;

/** Stream event other than the last one. */
export const infillPiece = z
  .object({ ...common, ...countFields, stop: z.literal(false) })
  .meta({ id: "InfillPiece" });

type InfillPiece = z.infer<typeof infillPiece>;

/**
 * Collects the generated infill.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toInfillAnswer(
  events: AsyncIterable<ChoiceEvent>,
  { alias: model, engine }: Pick<GenerationModel, "alias" | "engine">,
): Promise<InfillAnswer | undefined> {
  const wholeAnswer = await collectAnswer(events);
  if (wholeAnswer === undefined) return undefined;
  const { text } = wholeAnswer.answer;
  return {
    index: 0,
    content: text,
    ...toEnding(wholeAnswer.finished, text, engine.model.contextSize),
    model,
  };
}

/**
 * Yields the events of a stream: pieces, then an answer without content.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toInfillPieces(
  events: AsyncIterable<ChoiceEvent>,
  { alias: model, engine }: Pick<GenerationModel, "alias" | "engine">,
): AsyncGenerator<InfillPiece | InfillAnswer, void> {
  let fullText = "";
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (event.type === "finished") {
      yield {
        index: 0,
        content: "",
        ...toEnding(event, fullText, engine.model.contextSize),
        model,
      };
    } else if (event.type === "text-delta") {
      fullText += event.text;
      const { completionTokens, promptTokens } = event.usage;
      yield {
        index: 0,
        content: event.text,
        tokens_predicted: completionTokens,
        tokens_evaluated: promptTokens,
        stop: false,
      };
    }
  }
}
