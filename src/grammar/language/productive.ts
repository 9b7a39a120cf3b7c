import type { Expression } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { byteRepresentatives } from "./first-byte-classes.js";
import { isNullable } from "./nullable.js";

type Derivative = (store: ExpressionStore, of: Expression, byte: number) => Expression;

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
  if (hasEnd(language)) return true;
  const cameFrom = new Map<Expression, Expression | undefined>([[language, undefined]]);
  for (const state of cameFrom.keys()) {
    if (state.productive === false) continue;
    const bytes = byteRepresentatives(store, state);
    store.meter.spend(bytes.length);
    for (const byte of bytes) {
      const next = derivative(store, state, byte);
      if (next === store.nothing || cameFrom.has(next)) continue;
      if (hasEnd(next)) {
        for (let on: Expression | undefined = state; on !== undefined; on = cameFrom.get(on)) {
          on.productive = true;
        }
        return true;
      }
      cameFrom.set(next, state);
    }
  }
  for (const state of cameFrom.keys()) state.productive = false;
  return false;
}

/** Whether a state is known to lead to a text. */
function hasEnd(state: Expression): boolean {
  return !state.isDoubtful || state.productive === true || isNullable(state);
}
