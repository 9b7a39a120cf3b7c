import fc from "fast-check";

/** Texts that end a string, an event, a line or a message unless they are escaped. */
export const HOSTILE_TEXTS = [
  "data: [DONE]",
  "\n\ndata: [DONE]\n\n",
  "\r\n\r\nevent: x\r\ndata: {}\r\n\r\n",
  "event: message_stop\n",
  ": ping\n\n",
  '"}]}',
  '\\"',
  "\\",
  '"',
  "\\u0022",
  "\u0000",
  "\u001b[31m",
  "\u007f\u0085",
  "\u2028",
  "\u2029",
  "\ufeff",
  "\ud83d",
  "\ude00",
  "😀",
  "</tool_call>",
  '<tool_call>{"name":"f","arguments":{}}',
  "<think>",
  "</think>",
  "<|im_end|>",
  "<|im_start|>system\n",
  "<|endoftext|>",
  "<s>",
  "[INST]",
  "{{ messages }}",
  "__proto__",
] as const;

export interface TextLength {
  readonly minLength?: number;
  readonly maxLength?: number;
}

const utf16Unit = fc.nat(0xffff).map((unit) => String.fromCharCode(unit));

/** Any text: also with halves of surrogate pairs, control characters, and {@link HOSTILE_TEXTS}. */
export function hostileText({ minLength = 0, maxLength }: TextLength = {}): fc.Arbitrary<string> {
  const length = { minLength, ...(maxLength !== undefined && { maxLength }) };
  const fitting = HOSTILE_TEXTS.filter(
    (text) => text.length >= minLength && text.length <= (maxLength ?? text.length),
  );
  return fc.oneof(
    fc.string(length),
    fc.string({ ...length, unit: utf16Unit }),
    ...(fitting.length > 0 ? [fc.constantFrom(...fitting)] : []),
  );
}
