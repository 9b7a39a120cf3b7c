import type { FastifyRequest } from "fastify";
import { access, scopes } from "../../core/api-keys.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonResponse } from "../description/responses.js";
import { type PresentedKey, presentedKey } from "./key-schema.js";

/** Reports the key's permissions, so that a client can hide other features. */
export const keyRoute: DescribedRoute = {
  method: "GET",
  path: "/v1/key",
  access: access.anyKey,
  description: {
    operationId: "getKey",
    summary: "Get the permissions of the API key",
    responses: {
      200: jsonResponse({
        description:
          "Name, scopes and access of the key. All permissions if the server has no keys.",
        schema: presentedKey,
        example: { object: "key", name: "alice", scopes: ["inference", "todos"], access: "full" },
      }),
    },
    errors: [],
  },
  handle: async (_context, { keyUse }: FastifyRequest): Promise<PresentedKey> => ({
    object: "key",
    name: keyUse?.key.name ?? null,
    scopes: [...(keyUse?.key.scopes ?? scopes)],
    access: keyUse?.key.access ?? "full",
  }),
};
