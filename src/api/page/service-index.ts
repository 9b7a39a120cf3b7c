import { z } from "zod";
import { DOCS_PATH, JSON_PATH } from "../description/docs-page.js";

/** Body of `/` for clients other than browsers. */
export const serviceIndex = z
  .object({
    name: z.literal("ggufd"),
    version: z.string().meta({ description: "Version of the server." }),
    models: z.string().meta({ description: "Path of the list of models." }),
    health: z.string().meta({ description: "Path of the readiness check." }),
    openapi: z.string().meta({ description: "Path of the OpenAPI description." }),
    docs: z.string().meta({ description: "Path of the documentation page." }),
  })
  .meta({ id: "ServiceIndex" });

type ServiceIndex = Readonly<z.infer<typeof serviceIndex>>;

/**
 * @param version package version of ggufd
 * @param pathPrefix path that the paths of all routes begin with
 */
export function toServiceIndex(version: string, pathPrefix = ""): ServiceIndex {
  return {
    name: "ggufd",
    version,
    models: `${pathPrefix}/v1/models`,
    health: `${pathPrefix}/health`,
    openapi: pathPrefix + JSON_PATH,
    docs: pathPrefix + DOCS_PATH,
  };
}
