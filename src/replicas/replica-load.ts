import type { GenerationStart } from "../core/generation-request.js";
import type { ReplicaLoad } from "./choose-replica.js";
import type { HeldRequest } from "./held-request.js";
import type { Replica } from "./replica.js";

interface LoadCircumstances extends Pick<ReplicaLoad, "availability"> {
  /** Names of the adapters that requests without a choice use. */
  readonly defaultAdapters: readonly string[];
  /** Class of the generation to place. */
  readonly requestClass: GenerationStart["class"];
}

/** Describes a replica's load for the placement of a request. */
export function describeLoad(
  replica: Replica,
  heldRequest: HeldRequest,
  { availability, defaultAdapters, requestClass }: LoadCircumstances,
): ReplicaLoad {
  const { index, msPerPromptToken, serviceMs, lastUsed } = replica;
  return {
    ...{ index, msPerPromptToken, serviceMs, lastUsed },
    ...replica.workAheadOf(requestClass),
    availability,
    suitability: isSuited(replica, heldRequest, defaultAdapters) ? "suited" : "unsuited",
    slots: replica.description?.slots ?? 0,
    cachedTokens: heldRequest.estimateCachedTokens(replica),
  };
}

function isSuited(
  { description, adapters }: Replica,
  { request, promptTokens }: HeldRequest,
  defaultAdapters: readonly string[],
): boolean {
  const chosen = request.adapters?.filter(({ scale }) => scale !== 0).map(({ name }) => name);
  const loaded = adapters.map(({ name }) => name);
  const { contextSize = 0 } = description?.model ?? {};
  return (
    promptTokens < contextSize && (chosen ?? defaultAdapters).every((name) => loaded.includes(name))
  );
}
