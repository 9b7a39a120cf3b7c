import { z } from "zod";
import { createRefusal } from "../../../core/errors.js";
import type {
  EmbeddingModel,
  ModelDirectory,
  ModelUser,
  RerankingModel,
} from "../../../core/model-directory.js";
import type { PooledInput } from "../../../core/pooling.js";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText } from "../../../validation/fields.js";
import { expectPooling } from "../../answers/pooling.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";
import { modelField, scoreFields, truncationFields } from "../pooling-fields.js";

const MAX_TEXTS = 1_000;

const oneOrSeveral = () =>
  z.union(
    [
      nonEmptyText(),
      boundedArray(z.array(nonEmptyText()).min(1, { error: "expected at least one text" }), {
        max: MAX_TEXTS,
        of: "texts",
      }),
    ],
    { error: `expected a non-empty text, or a list of 1 to ${MAX_TEXTS} of them` },
  );

/** Body of `POST /v1/score`, after nulls, which mean absent, have been removed. */
export const scoreRequest = z
  .looseObject(
    {
      model: modelField(),
      text_1: oneOrSeveral().meta({ description: "One text, or one per text of `text_2`." }),
      text_2: oneOrSeveral().meta({ description: "The text or texts to compare with `text_1`." }),
      ...truncationFields(),
      ...scoreFields(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "ScoreRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

export type ScoreRequest = z.output<typeof scoreRequest>;

/** Model that can compare texts. */
export type Scorer = EmbeddingModel | RerankingModel;

/**
 * Resolves the model of a request; without a name, the first reranking model.
 * @throws {GgufdError} the errors of {@link ModelDirectory.resolve}
 */
export async function findScorer(
  models: ModelDirectory,
  name: string | undefined,
  user: ModelUser,
): Promise<Scorer> {
  const namedModel = name === undefined ? undefined : await models.find(name, user);
  if (namedModel?.kind !== "embedding") return models.resolve("reranking", name, user);
  expectPooling(namedModel.engine);
  return namedModel;
}

/** Text with its request field, for errors. */
export interface FieldText {
  readonly text: string;
  readonly field: string;
}

/** Texts to compare. */
export interface Texts {
  /** One text, compared with all of `second`, or one text for each of `second`. */
  readonly first: readonly FieldText[];
  readonly second: readonly FieldText[];
}

/**
 * Reads the texts of a request.
 * @throws {GgufdError} `invalid_request` if `text_1` has neither one text nor as many as `text_2`
 */
export function textsOf(body: ScoreRequest): Texts {
  const first = withFields(body.text_1, "text_1");
  const second = withFields(body.text_2, "text_2");
  if (first.length !== 1 && first.length !== second.length) {
    const expected = second.length === 1 ? "1 text" : `1 text or ${second.length} texts`;
    const reason = `expected ${expected}, as text_2 has ${second.length}, got ${first.length}`;
    throw createRefusal("invalid_request", [{ field: "text_1", reason }]);
  }
  return { first, second };
}

function withFields(texts: string | readonly string[], field: string): readonly FieldText[] {
  if (typeof texts === "string") return [{ text: texts, field }];
  return texts.map((text, index) => ({ text, field: `${field}.${index}` }));
}

/**
 * Builds the inputs of the model: single texts for an embedding model, pairs for a reranking model.
 */
export function toInputs({ kind }: Scorer, texts: Texts): readonly PooledInput[] {
  return kind === "embedding" ? toTextInputs(texts) : toPairInputs(texts);
}

/** Builds pairs for a model that reads both texts at once. */
function toPairInputs({ first, second }: Texts): readonly PooledInput[] {
  return second.map(({ text: document, field }, index) => ({
    content: { type: "pair", query: (first[index] ?? first[0])?.text ?? "", document },
    field,
  }));
}

/** Builds one input per text, the first list before the second. */
function toTextInputs({ first, second }: Texts): readonly PooledInput[] {
  return [...first, ...second].map(({ text, field }) => ({
    content: { type: "text", text },
    field,
  }));
}
