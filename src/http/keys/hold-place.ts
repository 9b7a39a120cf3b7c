import type { FastifyRequest } from "fastify";

/**
 * Holds the place of a request among those that its key has at once, for work that goes on after its answer.
 * @returns lets go; to be called once
 */
export function holdPlace({ keyUse }: Pick<FastifyRequest, "keyUse">): () => void {
  return keyUse?.place?.hold() ?? (() => undefined);
}
