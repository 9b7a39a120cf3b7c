import assert from "node:assert/strict";
import { type GrammarNode, sequence, type Trigger } from "../../../../grammar/grammar.js";

/** Returns whether a text is a control token of the model; if not, it is written as text. */
export type IsControlToken = (text: string) => boolean;

/** Builds a text in which the names of control tokens stand for the tokens. */
export function literal(text: string, isControlToken: IsControlToken): GrammarNode {
  return sequence(
    ...splitAtControlTokens(text, isControlToken).map(
      (segment): GrammarNode =>
        segment.type === "control-token" ? segment : { type: "words", words: [segment.text] },
    ),
  );
}

/** Returns the trigger of a text: its first control token, or the whole text if it has none. */
export function selectTrigger(text: string, isControlToken: IsControlToken): Trigger {
  const segments = splitAtControlTokens(text, isControlToken);
  return segments.find(({ type }) => type === "control-token") ?? { type: "text", text };
}

/**
 * Returns the triggers that end a text which must not contain a mark: the mark's trigger, also if
 * written as text.
 */
export function listEndTriggers(mark: string, isControlToken: IsControlToken): readonly Trigger[] {
  assert(mark !== "", "a mark must not be empty");
  const trigger = selectTrigger(mark, isControlToken);
  return trigger.type === "text" ? [trigger] : [trigger, { type: "text", text: trigger.text }];
}

/** Splits a text at its control tokens, preferring the longest at each position. */
function splitAtControlTokens(text: string, isControlToken: IsControlToken): readonly Trigger[] {
  const segments: Trigger[] = [];
  let plainFrom = 0;
  for (let position = 0; position < text.length; position++) {
    const token = findControlTokenAt(text, position, isControlToken);
    if (token === undefined) continue;
    if (position > plainFrom) {
      segments.push({ type: "text", text: text.slice(plainFrom, position) });
    }
    segments.push({ type: "control-token", text: token });
    position += token.length - 1;
    plainFrom = position + 1;
  }
  if (plainFrom < text.length) segments.push({ type: "text", text: text.slice(plainFrom) });
  return segments;
}

function findControlTokenAt(
  text: string,
  position: number,
  isControlToken: IsControlToken,
): string | undefined {
  for (let end = text.length; end > position; end--) {
    const candidate = text.slice(position, end);
    if (isControlToken(candidate)) return candidate;
  }
  return undefined;
}
