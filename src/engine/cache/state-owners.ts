import { lastCut, nothing, type PromptIdentity, prefixOf } from "./prompt-identity.js";

/**
 * Whose requests account for the tokens of a state: API keys, by their names, with how many of its first tokens are
 * theirs. Empty: no key's, or the server has no keys.
 */
export type StateOwners = ReadonlyMap<string, number>;

export const noOwners: StateOwners = new Map();

/**
 * Whoever loses tokens to another one's prompt keeps whole blocks of so many: to the token, what is left would tell
 * where the two differ, and so whether a guess was right.
 */
const BLOCK_TOKENS = 64;

/** The owners of a state's first tokens, in another state that begins with so many of them. */
export function ownersOfPrefix(owners: StateOwners, length: number): StateOwners {
  const blocks = length - (length % BLOCK_TOKENS);
  return new Map([...owners].map(([owner, tokens]) => [owner, tokens <= length ? tokens : blocks]));
}

/** The owners of a state that all of these account for. */
export function mergedOwners(owners: StateOwners, others: StateOwners): StateOwners {
  const merged = new Map(owners);
  for (const [owner, tokens] of others) {
    merged.set(owner, Math.max(tokens, merged.get(owner) ?? 0));
  }
  return merged;
}

/**
 * What a key's own requests account for of a state.
 * @param canTruncate whether the state provides that without what follows
 */
export function prefixOwnedBy(
  owner: string,
  held: PromptIdentity,
  owners: StateOwners,
  canTruncate: boolean,
): PromptIdentity {
  const owned = owners.get(owner) ?? 0;
  return canTruncate || owned === held.cells.length
    ? prefixOf(held, lastCut(held, owned))
    : nothing(held.adapters);
}
