import { GgufdError } from "../../core/errors.js";

/** Routes of Ollama, below its prefix, that change which models there are. */
export const MODEL_STORE_ROUTES = [
  { method: "POST", path: "/pull" },
  { method: "POST", path: "/push" },
  { method: "POST", path: "/create" },
  { method: "POST", path: "/copy" },
  { method: "DELETE", path: "/delete" },
  { method: "POST", path: "/blobs/:digest" },
] as const;

/**
 * Why such a route is refused.
 * @param target the method and the path of the request
 */
export function noModelStore(target: string): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `${target}: this server has no store of models; it serves the one that it was started with.`,
  );
}
