/** The model list of Anthropic's API, for clients that send its version header. */
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { integerParameter, textParameter } from "../../validation/parameters.js";
import { preview } from "../../validation/preview.js";
import { compareNames, type ListedModel } from "./models.js";

/** Header field that all clients of Anthropic's API send. */
export const ANTHROPIC_VERSION = "anthropic-version";

/** Whether a request comes from a client of Anthropic's API. */
export function isFromAnthropicClient(headers: IncomingHttpHeaders): boolean {
  return headers[ANTHROPIC_VERSION] !== undefined;
}

export const anthropicModel = z
  .object({
    type: z.literal("model"),
    id: z.string(),
    display_name: z.string().meta({ description: "Name in the model's file, else its `id`." }),
    created_at: z.iso.datetime().meta({
      description: "Time at which the model was loaded, or first seen if it is not loaded.",
    }),
  })
  .meta({ id: "AnthropicModel", description: "A model in Anthropic's format." });

export const anthropicModelList = z
  .object({
    data: z.array(anthropicModel),
    has_more: z.boolean(),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
  })
  .meta({ id: "AnthropicModelList", description: "A page of models in Anthropic's format." });

type AnthropicModel = z.infer<typeof anthropicModel>;
type AnthropicModelList = z.infer<typeof anthropicModelList>;

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 1000;

/** Query parameters of Anthropic's model list that OpenAI's does not have. */
export const anthropicCursors = {
  after_id: textParameter().optional().meta({
    description: "Lists models after this one, for requests with `anthropic-version`.",
  }),
  before_id: textParameter().optional().meta({
    description: "Lists models before this one, for requests with `anthropic-version`.",
  }),
};

/** Query of Anthropic's model list. */
export const anthropicListQuery = z.object({
  limit: integerParameter(1, MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  ...anthropicCursors,
});

type AnthropicListQuery = z.output<typeof anthropicListQuery>;

/** Builds the entry of a model. */
export function toAnthropicModel({ id, created, meta }: ListedModel): AnthropicModel {
  return {
    type: "model",
    id,
    display_name: meta?.name || id,
    created_at: new Date(created * 1000).toISOString(),
  };
}

/**
 * Returns a page of the models, sorted by name.
 * @throws {GgufdError} `invalid_request` for a query with both cursors
 */
export function toAnthropicModelList(
  models: readonly ListedModel[],
  { limit, after_id: after, before_id: before }: AnthropicListQuery,
): AnthropicModelList {
  if (after !== undefined && before !== undefined) {
    const reason = `expected either after_id or before_id, got both: ${preview(before)}`;
    throw createRefusal("invalid_request", [{ field: "before_id", reason }]);
  }
  const sortedModels = models.toSorted(compareNames);
  const candidates = sortedModels.filter(
    ({ id }) => (after === undefined || id > after) && (before === undefined || id < before),
  );
  const page = before === undefined ? candidates.slice(0, limit) : candidates.slice(-limit);
  return {
    data: page.map(toAnthropicModel),
    has_more: candidates.length > page.length,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}
