import { WorkLimitExceeded } from "../../src/grammar/errors.js";
import { allows } from "../../src/grammar/mask/token-mask.js";
import type { GrammarState, TokenGrammar } from "../../src/grammar/token-grammar.js";
import type { Draw } from "./sample-grammar.js";

/** Bytes after which a walk prefers the end. */
const LONG = 200;
/** Bytes after which a walk is abandoned. */
const TOO_LONG = 2_000;
/** Digits in a row that 64-bit numbers still distinguish. */
const MANY_DIGITS = /\d{12}$/;
/** Bytes that close a structure, the innermost first. */
const CLOSING = [...Buffer.from('"}]')];

/**
 * Generates a text of a grammar byte by byte, by a random walk with a bias to the end.
 * @returns `undefined`: the walk did not end, or a mask takes too long to compute, as the request would fail then
 * @throws {Error} the walk reached a dead end
 */
export function walk(grammar: TokenGrammar, draw: Draw): string | undefined {
  try {
    return walkToEnd(grammar, draw);
  } catch (error) {
    if (error instanceof WorkLimitExceeded) return undefined;
    throw error;
  }
}

function walkToEnd(grammar: TokenGrammar, draw: Draw): string | undefined {
  let state = grammar.start;
  const bytes: number[] = [];
  while (bytes.length < TOO_LONG) {
    const options = nextBytes(grammar, state);
    const text = Buffer.from(bytes).toString();
    if (options.length === 0 || (grammar.canEnd(state) && draw(2) === 0)) {
      if (grammar.canEnd(state)) return text;
      throw new Error(`a dead end behind ${text}`);
    }
    const byte = choose(options, text, draw);
    const next = grammar.advanceByToken(state, byte);
    if (next === undefined) throw new Error(`the mask allowed ${byte} behind ${text}`);
    bytes.push(byte);
    state = next;
  }
  return undefined;
}

function choose(options: readonly number[], text: string, draw: Draw): number {
  const closing = CLOSING.filter((byte) => options.includes(byte));
  const isHasty = text.length > LONG || draw(3) === 0;
  const noDigits = options.filter((byte) => byte < 0x30 || byte > 0x39);
  const preferred =
    closing.length > 0 && isHasty
      ? closing
      : MANY_DIGITS.test(text) && noDigits.length > 0
        ? noDigits
        : options;
  return preferred[draw(preferred.length)] ?? 0;
}

/** The bytes that the mask of a state allows. */
export function nextBytes(grammar: TokenGrammar, state: GrammarState): readonly number[] {
  const mask = grammar.maskOf(state);
  return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => allows(mask, byte));
}
