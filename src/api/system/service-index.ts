import { z } from "zod";

/** What `/` says: who answers, and where to go on. */
export const serviceIndex = z
  .object({
    name: z.literal("ggufd"),
    version: z.string().meta({ description: "The version of the package." }),
    models: z.string().meta({ description: "Path of the list of models." }),
    health: z.string().meta({ description: "Path of the readiness check." }),
    openapi: z.string().meta({ description: "Path of the interface's description." }),
    docs: z.string().meta({ description: "Path of the description as a page." }),
  })
  .meta({ id: "ServiceIndex" });

export type ServiceIndex = Readonly<z.infer<typeof serviceIndex>>;

/** @param version the package's. */
export function toServiceIndex(version: string): ServiceIndex {
  return {
    name: "ggufd",
    version,
    models: "/v1/models",
    health: "/health",
    openapi: "/openapi.json",
    docs: "/docs",
  };
}
