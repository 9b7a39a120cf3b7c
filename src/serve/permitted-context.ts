import type { FastifyRequest } from "fastify";
import type { AllModels } from "../core/model-directory.js";
import { isLimited, type ModelRights } from "../core/model-rights.js";
import { PermittedLibrary } from "../models/library/permitted-library.js";
import type { ServerContext } from "./routes.js";

/**
 * Returns the context of each request: the server's, with the models that the request's key may use.
 * Routes find models in their context only, so that no route can bypass a key's rights.
 * @param context of requests without a key, and of keys without limits
 * @param models all models of the context
 */
export function permitContexts(
  context: ServerContext,
  models: AllModels,
): (request: Pick<FastifyRequest, "keyUse">) => ServerContext {
  const contexts = new WeakMap<ModelRights, ServerContext>();
  return ({ keyUse }) => {
    if (keyUse === undefined || !isLimited(keyUse.key)) return context;
    const known = contexts.get(keyUse.key);
    if (known !== undefined) return known;
    const permitted = permitContext(context, models, keyUse.key);
    contexts.set(keyUse.key, permitted);
    return permitted;
  };
}

function permitContext(
  context: ServerContext,
  models: AllModels,
  rights: ModelRights,
): ServerContext {
  const directory = models.permitting(rights);
  const library = new PermittedLibrary({ library: context.library, directory, rights });
  return { ...context, models: directory, library };
}
