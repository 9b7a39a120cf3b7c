import { z } from "zod";
import { DOCS_PATH, JSON_PATH } from "../description/docs-page.js";
import { HEALTH_PATH } from "./health.js";

/** The body of `/`: the name of the service and the paths of its main resources. */
export const serviceIndex = z
  .object({
    name: z.literal("ggufd"),
    version: z.string().meta({ description: "The package version." }),
    models: z.string().meta({ description: "Path of the list of models." }),
    health: z.string().meta({ description: "Path of the readiness check." }),
    openapi: z.string().meta({ description: "Path of the OpenAPI description." }),
    docs: z.string().meta({ description: "Path of the documentation page." }),
  })
  .meta({ id: "ServiceIndex" });

export type ServiceIndex = Readonly<z.infer<typeof serviceIndex>>;

/** @param version the package version. */
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
