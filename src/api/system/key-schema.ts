import { z } from "zod";
import { scopes } from "../../core/api-keys.js";

/** Permissions of the request's key. */
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
  })
  .meta({ id: "PresentedKey" });

export type PresentedKey = z.infer<typeof presentedKey>;
