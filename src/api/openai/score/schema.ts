import { z } from "zod";
import { boundedArray } from "../../../validation/bounded-collections.js";
import { nonEmptyText } from "../../../validation/fields.js";
import { nullableWhereOptional } from "../describe-nulls.js";
import { modelField, poolingUsage, scoreFields, truncationFields } from "../pooling-fields.js";

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

/** The body of `POST /v1/score`. Nulls, which mean absent, have been removed. */
export const scoreRequest = z
  .looseObject(
    {
      model: modelField(),
      text_1: oneOrSeveral().meta({ description: "One text, or as many as `text_2` has." }),
      text_2: oneOrSeveral().meta({ description: "What is compared to it, or to each of them." }),
      ...truncationFields(),
      ...scoreFields(),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "ScoreRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
    override: nullableWhereOptional,
  });

export type ScoreRequest = z.output<typeof scoreRequest>;

/** The answer of `POST /v1/score`. */
export const scoreList = z
  .object({
    id: z.string(),
    object: z.literal("list"),
    created: z.int().meta({ description: "Unix time in seconds." }),
    model: z.string().meta({ description: "The name of the served model." }),
    data: z
      .array(
        z.object({
          index: z.int().nonnegative(),
          object: z.literal("score"),
          score: z.number().meta({
            description: "By a reranking model a probability, by an embedding model a cosine.",
          }),
        }),
      )
      .meta({ description: "In the order of the pairs." }),
    usage: poolingUsage,
  })
  .meta({ id: "ScoreList" });

export type ScoreList = z.infer<typeof scoreList>;
