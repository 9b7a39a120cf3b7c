import {
  createEmptyIdentity,
  findLastCut,
  type PromptIdentity,
  slicePrefix,
} from "./prompt-identity.js";

/**
 * API keys whose requests produced the tokens of a state: the name of each key, with the length of its prefix in
 * tokens. Empty: no key, or the server has no keys.
 */
export type StateOwners = ReadonlyMap<string, number>;

export const noOwners: StateOwners = new Map();

/**
 * Granularity of an owner's prefix after truncation, in tokens. If it were exact, the rest would reveal at which
 * token another owner's prompt diverged, and thereby whether a guess was right.
 */
const BLOCK_TOKENS = 64;

/** Returns the owners of the first `length` tokens of a state, in another state that begins with these tokens. */
export function truncateOwners(owners: StateOwners, length: number): StateOwners {
  const blocks = length - (length % BLOCK_TOKENS);
  return new Map([...owners].map(([owner, tokens]) => [owner, tokens <= length ? tokens : blocks]));
}

/** Merges two lists of owners of one state; each owner keeps its longer prefix. */
export function mergeOwners(owners: StateOwners, others: StateOwners): StateOwners {
  const merged = new Map(owners);
  for (const [owner, tokens] of others) {
    merged.set(owner, Math.max(tokens, merged.get(owner) ?? 0));
  }
  return merged;
}

/**
 * Returns the prefix of a state that an API key's own requests produced.
 * @param canTruncate whether the state can be used without the tokens after that prefix
 */
export function sliceOwnedPrefix(
  owner: string,
  contents: PromptIdentity,
  owners: StateOwners,
  canTruncate: boolean,
): PromptIdentity {
  const ownedTokens = owners.get(owner) ?? 0;
  return canTruncate || ownedTokens === contents.cells.length
    ? slicePrefix(contents, findLastCut(contents, ownedTokens))
    : createEmptyIdentity(contents.adapters);
}
