import { z } from "zod";

const version = z.enum(["v1", "1"]).optional();

/** Header fields that every operation below `/v1` accepts. */
export const versionHeaders = {
  "Accept-Version": version.meta({
    param: { id: "AcceptVersion" },
    description:
      "The version that the client expects. On a path without a prefix (`/todos`) it selects the version.",
  }),
  "API-Version": version.meta({
    param: { id: "ApiVersion" },
    description: "Alias of `Accept-Version`.",
  }),
} as const;
