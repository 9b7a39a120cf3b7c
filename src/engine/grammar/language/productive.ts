import { byteRepresentatives } from "./byte-representatives.js";
import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { isNullable } from "./nullable.js";

type Derivative = (store: ExpressionStore, of: Expression, byte: number) => Expression;

/** States that are searched for a text before a language is taken for hard. */
const MAX_STATES = 20_000;

/**
 * Whether a regular language has any text. Only intersections and complements can be empty without
 * being `nothing`: their states are searched, breadth first, for one that accepts.
 * @param derivative `derivative` of `derivative.ts`, which in turn needs this function
 * @throws {WorkLimitExceeded}
 */
export function isProductive(
  store: ExpressionStore,
  language: Expression,
  derivative: Derivative,
): boolean {
  if (!language.isDoubtful) return language !== store.nothing;
  language.productive ??= search(store, language, derivative);
  return language.productive;
}

function search(store: ExpressionStore, language: Expression, derivative: Derivative): boolean {
  const cameFrom = new Map<Expression, Expression | undefined>([[language, undefined]]);
  for (const state of cameFrom.keys()) {
    if (cameFrom.size > MAX_STATES) return true;
    if (!state.isDoubtful || state.productive === true || isNullable(state)) {
      for (let on: Expression | undefined = state; on !== undefined; on = cameFrom.get(on)) {
        on.productive = true;
      }
      return true;
    }
    if (state.productive === false) continue;
    for (const byte of byteRepresentatives(store, state)) {
      const next = derivative(store, state, byte);
      if (next !== store.nothing && !cameFrom.has(next)) cameFrom.set(next, state);
    }
  }
  for (const state of cameFrom.keys()) state.productive = false;
  return false;
}
