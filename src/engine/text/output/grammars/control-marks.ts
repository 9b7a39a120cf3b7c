import assert from "node:assert/strict";
import { type GrammarNode, sequence, type Trigger } from "../../../../grammar/grammar.js";

/** Whether a text is a control token of the model; if not, it is written as text. */
export type IsControlToken = (text: string) => boolean;

/** A text in which the names of control tokens stand for those. */
export function literal(text: string, isControlToken: IsControlToken): GrammarNode {
  return sequence(
    ...segmentsOf(text, isControlToken).map(
      (segment): GrammarNode =>
        segment.type === "control-token" ? segment : { type: "words", words: [segment.text] },
    ),
  );
}

/** What announces a text: its first control token, or all of it if it has none. */
export function triggerOf(text: string, isControlToken: IsControlToken): Trigger {
  const segments = segmentsOf(text, isControlToken);
  return segments.find(({ type }) => type === "control-token") ?? { type: "text", text };
}

/** Where a text ends that may not contain a mark: at what announces it, also where that is written out as text. */
export function endsAt(mark: string, isControlToken: IsControlToken): readonly Trigger[] {
  assert(mark !== "", "every text ends at an empty mark");
  const trigger = triggerOf(mark, isControlToken);
  return trigger.type === "text" ? [trigger] : [trigger, { type: "text", text: trigger.text }];
}

/** A text and the control tokens in it, the longest of several at one place. */
function segmentsOf(text: string, isControlToken: IsControlToken): readonly Trigger[] {
  const segments: Trigger[] = [];
  let plainFrom = 0;
  for (let position = 0; position < text.length; position++) {
    const token = controlTokenAt(text, position, isControlToken);
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

function controlTokenAt(
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
