import { z } from "zod";
import { DOCS_PATH, JSON_PATH } from "../description/docs-page.js";
import { HEALTH_PATH } from "./health.js";

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
    health: HEALTH_PATH,
    openapi: JSON_PATH,
    docs: DOCS_PATH,
  };
}
