import { z } from "zod";
import { budgetRows, scopes } from "../../core/api-keys.js";

const units = [...new Set(budgetRows.map(({ unit }) => unit))];
const periods = [...new Set(budgetRows.map(({ period }) => period))];

const keyBudget = z
  .object({
    owner: z.enum(["key", "group"]).meta({
      description: "`group`: all keys of the group share the budget.",
    }),
    unit: z.enum(units),
    period: z.enum(periods).meta({ description: "In UTC." }),
    limit: z.int().positive(),
    used: z.int().nonnegative(),
    reserved: z.int().nonnegative().meta({
      description: "Tokens that running requests may still generate.",
    }),
    renews_at: z.int().meta({ description: "Time of the renewal, as Unix time in seconds." }),
  })
  .meta({ id: "KeyBudget" });

const limit = (description: string) => z.int().optional().meta({ description });
const patterns = (things: string) =>
  z
    .array(z.string())
    .optional()
    .meta({
      description: `Names of the ${things} that the key may use, with \`*\` as wildcard. Absent: all.`,
    });

/** Permissions and budgets of the request's key. */
export const presentedKey = z
  .object({
    object: z.literal("key"),
    name: z.string().nullable().meta({
      description: "Name of the key in logs and metrics. `null`: the server has no keys.",
    }),
    scopes: z.array(z.enum(scopes)),
    access: z
      .enum(["full", "read-only"])
      .meta({ description: "`read-only` permits GET and HEAD only." }),
    group: z.string().optional().meta({ description: "Group that shares budgets. Absent: none." }),
    models: patterns("models"),
    adapters: patterns("LoRA adapters"),
    max_context: limit(
      "Maximum tokens of a request, prompt and answer together. Absent: no limit.",
    ),
    max_tokens: limit("Maximum tokens of an answer. Absent: no limit."),
    priority_ceiling: limit("Smallest permitted `priority`. Absent: any."),
    budgets: z.array(keyBudget).optional().meta({
      description: "Budgets of the key and of its group. Absent: none.",
    }),
  })
  .meta({ id: "PresentedKey" });

export type PresentedKey = z.infer<typeof presentedKey>;
