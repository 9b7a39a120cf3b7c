import type { FastifyRequest } from "fastify";
import { access, scopes } from "../../core/api-keys.js";
import type { KeyUsage } from "../../http/keys/key-usage.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonResponse } from "../description/responses.js";
import { type PresentedKey, presentedKey } from "./key-schema.js";

/** Reports the key's permissions and budgets, so that a client can show them. */
export const keyRoute: DescribedRoute = {
  method: "GET",
  path: "/v1/key",
  access: access.anyKey,
  description: {
    operationId: "getKey",
    summary: "Get the permissions and budgets of the API key",
    responses: {
      200: jsonResponse({
        description:
          "Name, permissions and budgets of the key. All permissions if the server has no keys.",
        schema: presentedKey,
        example: {
          object: "key",
          name: "alice",
          scopes: ["inference", "todos"],
          access: "full",
          models: ["qwen*"],
          max_tokens: 4096,
          budgets: [
            {
              owner: "key",
              unit: "tokens",
              period: "day",
              limit: 1_000_000,
              used: 25_000,
              reserved: 4096,
              renews_at: 1_767_225_600,
            },
          ],
        },
      }),
    },
    errors: [],
  },
  handle: async (_context, { keyUse }: FastifyRequest): Promise<PresentedKey> =>
    keyUse === undefined
      ? { object: "key", name: null, scopes: [...scopes], access: "full" }
      : toPresentedKey(keyUse.usage),
};

function toPresentedKey({ key, budgets }: KeyUsage): PresentedKey {
  const { name, scopes, access, group, models, adapters } = key;
  const { maxContext, maxTokens, priorityCeiling } = key;
  return {
    object: "key",
    name,
    scopes: [...scopes],
    access,
    ...(group !== undefined && { group }),
    ...(models && { models: [...models] }),
    ...(adapters && { adapters: [...adapters] }),
    ...(maxContext !== undefined && { max_context: maxContext }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(priorityCeiling !== undefined && { priority_ceiling: priorityCeiling }),
    ...(budgets.length > 0 && {
      budgets: budgets.map(({ owner, unit, period, limit, used, reserved, renewsAtMs }) => ({
        owner: owner.type,
        unit,
        period,
        limit,
        used,
        reserved,
        renews_at: renewsAtMs / 1000,
      })),
    }),
  };
}
