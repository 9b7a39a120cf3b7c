import { z } from "zod";
import { withDefaultAdapters } from "../../core/adapted-model.js";
import { type AdapterChoice, type AdapterService, MAX_ADAPTERS } from "../../core/adapters.js";
import { createRefusal } from "../../core/errors.js";
import type { GenerationModel, GenerationService } from "../../core/model-directory.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, numberBetween } from "../../validation/fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/**
 * llama-server's list of adapters with their scales. Returns a new schema instance on each call.
 */
export const adapterChoices = () =>
  boundedArray(
    z.array(
      z.looseObject(
        {
          id: integerBetween(0, MAX_ADAPTERS - 1).meta({
            description: "Index in the list of `GET /lora-adapters`.",
          }),
          scale: numberBetween(-UNBOUNDED, UNBOUNDED).meta({
            description: "Strength of the adapter. 0 disables it.",
          }),
        },
        { error: "expected an object with id and scale" },
      ),
      { error: "expected an array of objects with id and scale" },
    ),
    { max: MAX_ADAPTERS, of: "adapters" },
  );

type AdapterChoices = z.output<ReturnType<typeof adapterChoices>>;

/** llama-server's `lora`. Returns a new schema instance on each call. */
export const loraField = () =>
  adapterChoices().optional().meta({
    description:
      "LoRA adapters for this request, by id; adapters that are not listed are disabled. Default, also for an empty list: the scales that `POST /lora-adapters` or the configuration set.",
  });

/**
 * Returns the model's generation service with the adapters that the request chooses, or unchanged
 * without a choice.
 * @throws {GgufdError} `invalid_request` for an adapter that the model does not have
 */
export function selectGenerations(
  { lora = [] }: { readonly lora?: AdapterChoices | undefined },
  { adapters, generations }: Pick<GenerationModel, "adapters" | "generations">,
): GenerationService {
  if (lora.length === 0) return generations;
  const requestedAdapters = toAdapterChoices(lora, { list: adapters.list, field: "lora" });
  return withDefaultAdapters(generations, () => requestedAdapters);
}

/** List of adapters, with the request field to name in errors. */
interface AdapterLookup extends Pick<AdapterService, "list"> {
  readonly field: string | undefined;
}

/**
 * Resolves adapter ids to names. If an id is repeated, its last scale applies, as in llama-server.
 * @throws {GgufdError} `invalid_request` for an id that is not in the list
 */
export function toAdapterChoices(
  choices: AdapterChoices,
  { list, field }: AdapterLookup,
): readonly AdapterChoice[] {
  const scales = new Map<string, number>();
  for (const [index, { id, scale }] of choices.entries()) {
    const name = list[id]?.name;
    if (name === undefined) {
      const expected =
        list.length === 0
          ? "no adapter, because the model has none"
          : `an adapter id from 0 to ${list.length - 1}`;
      const idField = [...(field === undefined ? [] : [field]), index, "id"].join(".");
      throw createRefusal("invalid_request", [
        { field: idField, reason: `expected ${expected}, got ${id}` },
      ]);
    }
    scales.set(name, scale);
  }
  return [...scales].map(([name, scale]) => ({ name, scale }));
}
