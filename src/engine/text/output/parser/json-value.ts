import { hasCharacter, type OutputBuffer, type Reading } from "./output-buffer.js";

/** How a value ended. `cut`: the output ended within the value. */
export type ValueEnd = "complete" | "malformed" | "cut";

const MAY_NEED_ESCAPE = /["\\\p{Cc}]/gu;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Escapes a text for use inside a JSON string. Unlike `JSON.stringify` it works on pieces, so
 * halves of a surrogate pair are kept.
 */
export function escapeJson(text: string): string {
  return text.replace(MAY_NEED_ESCAPE, (character) => {
    const shortEscape = SHORT_ESCAPES.get(character);
    if (shortEscape !== undefined || character >= " ") return shortEscape ?? character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/**
 * Reads one JSON value and passes it on as written, byte for byte. Only raw control characters in
 * strings, which JSON forbids but models write, are escaped. A control token is malformed.
 */
export function* readJsonValue(
  buffer: OutputBuffer,
  pass: (text: string) => void,
): Reading<ValueEnd> {
  const scanner = new JsonScanner();
  while (yield* hasCharacter(buffer, buffer.position)) {
    const character = buffer.characterAt(buffer.position);
    if (buffer.isHidden(buffer.position)) return scanner.isComplete ? "complete" : "malformed";
    const { isInString } = scanner;
    const step = scanner.push(character);
    if (step === "malformed") return "malformed";
    if (step === "after") return "complete";
    pass(isInString && character < " " ? escapeJson(character) : character);
    buffer.position++;
    if (step === "last") return "complete";
  }
  return "cut";
}

/** The role of a character in a JSON value: part of it, its last one, after it, or not allowed. */
export type JsonStep = "inside" | "last" | "after" | "malformed";

type State =
  | "value"
  | "value-or-end"
  | "key"
  | "key-or-end"
  | "colon"
  | "comma-or-end"
  | "string"
  | "escape"
  | "number"
  | "word";

/** Maximum depth; deeper values are malformed. */
const MAX_DEPTH = 512;
const WORDS = ["true", "false", "null"];
const ESCAPED = /["\\/bfnrtu]/;
const HEXADECIMAL = /[\da-fA-F]/;
const JSON_SPACE = /[ \t\n\r]/;

/**
 * Follows the structure of one JSON value, character by character. It keeps only states, not
 * values, since strings may be long. Control characters in strings are accepted: the caller escapes
 * or rejects them.
 */
class JsonScanner {
  #state: State = "value";
  /** Open containers, outermost first. */
  readonly #open: ("object" | "array")[] = [];
  #isKey = false;
  #numberState: NumberState = "sign";
  /** The characters of the current word so far. */
  #word = "";
  /** Hexadecimal digits missing from an escape. */
  #digitsLeft = 0;

  /** Whether the next character is inside a string. */
  get isInString(): boolean {
    return this.#state === "string";
  }

  push(character: string): JsonStep {
    switch (this.#state) {
      case "string":
        return this.#scanString(character);
      case "escape":
        return this.#scanEscape(character);
      case "number":
        return this.#scanNumber(character);
      case "word":
        return this.#scanWord(character);
      default:
        return JSON_SPACE.test(character) ? "inside" : this.#scanStructure(this.#state, character);
    }
  }

  /** Whether the value is complete if nothing follows. */
  get isComplete(): boolean {
    if (this.#state !== "number" || this.#open.length > 0) return false;
    return mayEndNumber(this.#numberState);
  }

  #scanStructure(
    state: Exclude<State, "string" | "escape" | "number" | "word">,
    character: string,
  ): JsonStep {
    switch (state) {
      case "value-or-end":
        return character === "]" ? this.#close() : this.#beginValue(character);
      case "value":
        return this.#beginValue(character);
      case "key-or-end":
        return character === "}" ? this.#close() : this.#beginKey(character);
      case "key":
        return this.#beginKey(character);
      case "colon":
        if (character !== ":") return "malformed";
        this.#state = "value";
        return "inside";
      case "comma-or-end":
        return this.#endElement(character);
    }
  }

  #beginValue(character: string): JsonStep {
    if (character === "{" || character === "[") {
      if (this.#open.length >= MAX_DEPTH) return "malformed";
      this.#open.push(character === "{" ? "object" : "array");
      this.#state = character === "{" ? "key-or-end" : "value-or-end";
      return "inside";
    }
    const number = character === "-" ? "sign" : numberStateAfter("sign", character);
    if (character === '"') {
      this.#isKey = false;
      this.#state = "string";
    } else if (number !== undefined) {
      this.#numberState = number;
      this.#state = "number";
    } else {
      this.#word = "";
      this.#state = "word";
      return this.#scanWord(character);
    }
    return "inside";
  }

  #beginKey(character: string): JsonStep {
    if (character !== '"') return "malformed";
    this.#isKey = true;
    this.#state = "string";
    return "inside";
  }

  #endElement(character: string): JsonStep {
    const container = this.#open.at(-1);
    if (character === ",") {
      this.#state = container === "object" ? "key" : "value";
      return "inside";
    }
    return character === (container === "object" ? "}" : "]") ? this.#close() : "malformed";
  }

  #close(): JsonStep {
    this.#open.pop();
    return this.#endValue();
  }

  #endValue(): JsonStep {
    if (this.#open.length === 0) return "last";
    this.#state = "comma-or-end";
    return "inside";
  }

  #scanString(character: string): JsonStep {
    if (character === "\\") this.#state = "escape";
    if (character !== '"') return "inside";
    if (!this.#isKey) return this.#endValue();
    this.#state = "colon";
    return "inside";
  }

  #scanEscape(character: string): JsonStep {
    const allowed = this.#digitsLeft > 0 ? HEXADECIMAL : ESCAPED;
    if (!allowed.test(character)) return "malformed";
    if (this.#digitsLeft > 0) this.#digitsLeft--;
    else if (character === "u") this.#digitsLeft = 4;
    if (this.#digitsLeft === 0) this.#state = "string";
    return "inside";
  }

  #scanNumber(character: string): JsonStep {
    const number = numberStateAfter(this.#numberState, character);
    if (number !== undefined) {
      this.#numberState = number;
      return "inside";
    }
    return mayEndNumber(this.#numberState) ? this.#endNumber(character) : "malformed";
  }

  #scanWord(character: string): JsonStep {
    this.#word += character;
    if (!WORDS.some((word) => word.startsWith(this.#word))) return "malformed";
    return WORDS.includes(this.#word) ? this.#endValue() : "inside";
  }

  #endNumber(character: string): JsonStep {
    if (this.#endValue() === "last") return "after";
    return JSON_SPACE.test(character) ? "inside" : this.#endElement(character);
  }
}

/** Returns whether a text is exactly one JSON value, apart from white space. */
export function isJson(text: string): boolean {
  const scanner = new JsonScanner();
  const value = text.trim();
  for (let index = 0; index < value.length; index++) {
    const character = value.charAt(index);
    if (scanner.isInString && character < " ") return false;
    const step = scanner.push(character);
    if (step !== "inside") return step === "last" && index === value.length - 1;
  }
  return scanner.isComplete;
}

/** The part of a number that has been read. */
type NumberState =
  | "sign"
  | "zero"
  | "integer"
  | "point"
  | "fraction"
  | "exponent"
  | "exponent-sign"
  | "exponent-digits";

/** Allowed continuations of a number by its state; digits come last. */
const NUMBER_TRANSITIONS: Readonly<
  Record<NumberState, readonly (readonly [RegExp, NumberState])[]>
> = {
  sign: [
    [/0/, "zero"],
    [/\d/, "integer"],
  ],
  zero: [
    [/\./, "point"],
    [/[eE]/, "exponent"],
  ],
  integer: [
    [/\./, "point"],
    [/[eE]/, "exponent"],
    [/\d/, "integer"],
  ],
  point: [[/\d/, "fraction"]],
  fraction: [
    [/[eE]/, "exponent"],
    [/\d/, "fraction"],
  ],
  exponent: [
    [/[-+]/, "exponent-sign"],
    [/\d/, "exponent-digits"],
  ],
  "exponent-sign": [[/\d/, "exponent-digits"]],
  "exponent-digits": [[/\d/, "exponent-digits"]],
};
/** States in which a number may end. */
const FINAL_NUMBER_STATES: readonly NumberState[] = [
  "zero",
  "integer",
  "fraction",
  "exponent-digits",
];

/**
 * Returns the state after one more character; `undefined` if the number cannot continue with it.
 */
function numberStateAfter(state: NumberState, character: string): NumberState | undefined {
  return NUMBER_TRANSITIONS[state].find(([allowed]) => allowed.test(character))?.[1];
}

/** Returns whether a number may end here. */
function mayEndNumber(state: NumberState): boolean {
  return FINAL_NUMBER_STATES.includes(state);
}
