import { hasByte, representativeOf } from "./byte-sets.js";
import { type Expression, narrowWords } from "./expression.js";
import type { ExpressionStore } from "./expression-store.js";
import { byteRepresentatives, firstByteClasses, firstBytes, isNullable } from "./first-symbols.js";

const DIGIT_ZERO = 0x30;

/**
 * Returns the Brzozowski derivative: the texts of a language that begin with a byte, without that
 * byte (Brzozowski, _Derivatives of regular expressions_, 1964). A dead end is always
 * `store.nothing`.
 */
export function derivative(store: ExpressionStore, of: Expression, byte: number): Expression {
  const known = of.derivatives?.[byte];
  if (known !== undefined) return known;
  if (of.soleByte === byte && of.soleDerivative !== undefined) return of.soleDerivative;
  if (!hasByte(firstBytes(store, of), byte)) return store.nothing;
  const derived = isCostly(of) ? deriveByClass(store, of, byte) : derive(store, of, byte);
  remember(store, of, byte, derived);
  return derived;
}

/** Whether a derivative combines several, so that reusing that of an equivalent byte pays off. */
function isCostly({ form }: Expression): boolean {
  return form.kind === "choice" || form.kind === "intersection" || form.kind === "lexeme";
}

function deriveByClass(store: ExpressionStore, of: Expression, byte: number): Expression {
  const representative = representativeOf(firstByteClasses(store, of), byte);
  return byte === representative ? derive(store, of, byte) : derivative(store, of, representative);
}

/**
 * Caches a derivative; most states are left by one byte, so the table is created for the second.
 */
function remember(store: ExpressionStore, of: Expression, byte: number, derived: Expression): void {
  if (of.derivatives === undefined && of.soleDerivative === undefined) {
    of.soleByte = byte;
    of.soleDerivative = derived;
    return;
  }
  if (of.derivatives === undefined) {
    of.derivatives = store.createDerivativeTable();
    of.derivatives[of.soleByte] = of.soleDerivative;
    of.soleByte = -1;
  }
  of.derivatives[byte] = derived;
}

function derive(store: ExpressionStore, of: Expression, byte: number): Expression {
  store.meter.spend(1);
  const { form } = of;
  switch (form.kind) {
    case "nothing":
    case "empty":
    case "control-token":
      return store.nothing;
    case "byte":
      return hasByte(form.set, byte) ? store.empty : store.nothing;
    case "words":
      return store.wordsAfter(narrowWords(form, byte));
    case "sequence": {
      const { head, tail } = form;
      const afterHead = store.sequence(derivative(store, head, byte), tail);
      return isNullable(head)
        ? store.choice([afterHead, derivative(store, tail, byte)])
        : afterHead;
    }
    case "choice":
      return store.choice(form.options.map((option) => derivative(store, option, byte)));
    case "repeat":
      return store.sequence(
        derivative(store, form.of, byte),
        store.repeat(form.of, Math.max(0, form.min - 1), form.max - 1),
      );
    case "intersection":
      return store.intersection(form.parts.map((part) => derivative(store, part, byte)));
    case "complement":
      return store.complement(derivative(store, form.of, byte));
    case "multiple": {
      const remainder = (form.remainder * 10 + byte - DIGIT_ZERO) % form.divisor;
      return store.multiple(form.divisor, remainder);
    }
    case "lexeme": {
      const derived = derivative(store, form.of, byte);
      return isProductive(store, derived) ? store.lexeme(derived) : store.nothing;
    }
    case "scan": {
      const { scan, state, ends } = form;
      const next = scan.step(state, byte);
      if (next !== "trigger") return store.scan(scan, next, ends);
      return ends === "with-trigger" ? store.empty : store.nothing;
    }
    case "rule":
      return derivative(store, form.body(), byte);
  }
}

/** Returns the derivative of a language by a control token. */
export function derivativeByToken(
  store: ExpressionStore,
  of: Expression,
  token: number,
): Expression {
  const { form } = of;
  switch (form.kind) {
    case "control-token":
      return form.token === token ? store.empty : store.nothing;
    case "sequence": {
      const { head, tail } = form;
      const afterHead = store.sequence(derivativeByToken(store, head, token), tail);
      if (!isNullable(head)) return afterHead;
      return store.choice([afterHead, derivativeByToken(store, tail, token)]);
    }
    case "choice":
      return store.choice(form.options.map((option) => derivativeByToken(store, option, token)));
    case "repeat":
      return store.sequence(
        derivativeByToken(store, form.of, token),
        store.repeat(form.of, Math.max(0, form.min - 1), form.max - 1),
      );
    case "scan": {
      if (!form.scan.tokens.has(token)) return store.scan(form.scan, 0, form.ends);
      return form.ends === "with-trigger" ? store.empty : store.nothing;
    }
    case "rule":
      return derivativeByToken(store, form.body(), token);
    default:
      return store.nothing;
  }
}

/**
 * Whether a regular language has any text. Only intersections and complements can be empty without
 * being `nothing`: their states are searched, breadth first, for an accepting one.
 * @throws {WorkLimitExceeded}
 */
export function isProductive(store: ExpressionStore, language: Expression): boolean {
  if (!language.isDoubtful) return language !== store.nothing;
  language.productive ??= searchForText(store, language);
  return language.productive;
}

function searchForText(store: ExpressionStore, language: Expression): boolean {
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
