import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { patternOf } from "../../http/mount-routes.js";
import type { DescribedRoute } from "../description/described-route.js";
import { OLLAMA_PATH } from "./error-envelope.js";

/** A route that is refused, because it would change which models there are. */
function refused(
  method: "POST" | "DELETE",
  path: string,
  description: Partial<DescribedRoute["description"]> = {},
): DescribedRoute {
  const name = path.split("/")[1] ?? "";
  const { errors = [], ...described } = description;
  const refusal = () =>
    new GgufdError(
      "unsupported_operation",
      `${method} ${OLLAMA_PATH}${patternOf(path)}: this server has no store of models; it serves the one that it was started with.`,
    );
  return {
    method,
    path,
    access: access.inference,
    runs: "before-body",
    description: {
      operationId: `refuseOllama${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary: `Refused: ${name}`,
      description: "This server has no store of models.",
      ...described,
      responses: {},
      errors: [...errors, refusal()],
    },
    async handle() {
      throw refusal();
    },
  };
}

/** Routes of Ollama, below its prefix, that change which models there are. */
export const modelStoreRoutes: readonly DescribedRoute[] = [
  refused("POST", "/pull"),
  refused("POST", "/push"),
  refused("POST", "/create"),
  refused("POST", "/copy"),
  refused("DELETE", "/delete"),
  refused("POST", "/blobs/{digest}", {
    requestParams: {
      path: z.object({ digest: z.string().meta({ example: "sha256:9f86d081" }) }),
    },
    errors: [
      new GgufdError("invalid_request", "'/api/blobs/%E0%A4%A' is not a valid url component"),
    ],
  }),
];
