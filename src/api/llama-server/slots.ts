import { z } from "zod";
import type { GenerationModel } from "../../core/model-directory.js";
import { type SlotCommand, type SlotOutcome, STATE_NAME_PATTERN } from "../../core/slot-command.js";
import { oneOf } from "../../validation/fields.js";
import { modelQuery } from "./props.js";

const count = (description: string) => z.int().nonnegative().meta({ description });
const milliseconds = (description: string) => z.number().nonnegative().meta({ description });

/** State of each slot in llama-server's format, without texts. */
export const nativeSlots = z
  .array(
    z.object({
      id: count("Id of the slot."),
      n_ctx: count("Context size of one request, in tokens."),
      speculative: z.boolean().meta({ description: "Whether decoding is speculative." }),
      is_processing: z.boolean(),
      replica: count(
        "Number of the replica that has the slot, if the model has several.",
      ).optional(),
      n_held: count("Tokens in the slot's cache.").optional(),
      id_task: count("Sequence number of the generation.").optional(),
      n_prompt_tokens: count("Prompt tokens.").optional(),
      n_prompt_tokens_cache: count("Prompt tokens read from the cache.").optional(),
      elapsed_ms: milliseconds(
        "Time since the generation got the slot, in milliseconds.",
      ).optional(),
      prompt_ms: milliseconds(
        "Time from the slot to the first token, in milliseconds. Absent during prefill.",
      ).optional(),
      next_token: z
        .array(
          z.object({
            has_next_token: z.literal(true),
            n_remain: count("Tokens left to generate."),
            n_decoded: count("Generated tokens."),
          }),
        )
        .optional(),
    }),
  )
  .meta({ id: "NativeSlots" });

export type NativeSlots = z.infer<typeof nativeSlots>;

/** Builds the response of `GET /slots`. */
export async function toSlots({ engine, slots }: GenerationModel): Promise<NativeSlots> {
  const views = await slots.list();
  return views.map((slot, id) => {
    const common = {
      id,
      n_ctx: engine.model.contextSize,
      speculative: engine.draftModel !== undefined || engine.mtpLayers !== undefined,
      n_held: slot.heldTokens,
      ...(slot.replica !== undefined && { replica: slot.replica }),
    };
    if (slot.state === "idle") return { ...common, is_processing: false };
    const { task, promptTokens, cachedTokens, completionTokens, maxTokens } = slot;
    const { elapsedMs, prefillMs } = slot;
    return {
      ...common,
      is_processing: true,
      id_task: task,
      n_prompt_tokens: promptTokens,
      n_prompt_tokens_cache: cachedTokens,
      elapsed_ms: elapsedMs,
      ...(prefillMs !== undefined && { prompt_ms: prefillMs }),
      next_token: [
        {
          has_next_token: true,
          n_remain: Math.max(0, maxTokens - completionTokens),
          n_decoded: completionTokens,
        },
      ],
    };
  });
}

/** Path parameters of `POST /slots/{id}`. */
export const slotPath = z.object({
  id: z
    .string()
    .regex(/^\d{1,9}$/, { error: "expected the number of a slot" })
    .transform(Number)
    .meta({ description: "Id of the slot.", example: "0" }),
});

/** Query of `POST /slots/{id}`. Unknown parameters are ignored. */
export const slotCommandQuery = modelQuery.extend({
  action: oneOf(["save", "restore", "erase"]).meta({
    description: "`save` writes the slot's cache to a file, `restore` reads it, `erase` clears it.",
  }),
});

/** Body of `POST /slots/{id}` for actions that write or read a file. */
export const slotCommandBody = z
  .looseObject(
    {
      filename: z
        .string({ error: "expected a string" })
        .regex(STATE_NAME_PATTERN, {
          error: "expected a file name of at most 100 letters, digits, spaces, and . _ -",
        })
        .meta({ description: "File name in the folder of `--slot-save-path`." }),
    },
    { error: "expected a JSON object with filename" },
  )
  .meta({ id: "SlotCommand" });

/** Response of `POST /slots/{id}`, with llama-server's field names. */
export const slotCommandAnswer = z
  .union([
    z.object({
      id_slot: count("Id of the slot."),
      filename: z.string(),
      n_saved: count("Saved tokens."),
      n_written: count("Size of the file, in bytes."),
      timings: z.object({ save_ms: z.number().nonnegative() }),
    }),
    z.object({
      id_slot: count("Id of the slot."),
      filename: z.string(),
      n_restored: count("Restored tokens."),
      n_read: count("Size of the file, in bytes."),
      timings: z.object({ restore_ms: z.number().nonnegative() }),
    }),
    z.object({
      id_slot: count("Id of the slot."),
      n_erased: count("Erased tokens."),
    }),
  ])
  .meta({ id: "SlotCommandAnswer" });

/** Builds the response of `POST /slots/{id}`. */
export function toSlotCommandAnswer(
  command: SlotCommand,
  { tokens, bytes, elapsedMs }: SlotOutcome,
): z.infer<typeof slotCommandAnswer> {
  const { slot: id_slot } = command;
  switch (command.action) {
    case "save":
      return {
        id_slot,
        filename: command.name,
        n_saved: tokens,
        n_written: bytes,
        timings: { save_ms: elapsedMs },
      };
    case "restore":
      return {
        id_slot,
        filename: command.name,
        n_restored: tokens,
        n_read: bytes,
        timings: { restore_ms: elapsedMs },
      };
    case "erase":
      return { id_slot, n_erased: tokens };
  }
}
