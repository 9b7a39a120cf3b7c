import { isJsonObject } from "../core/json.js";

/** An object of a parsed value, and the text that it was written in. */
type WrittenMember = readonly [object: object, text: string];

/**
 * Finds the objects that are members of these names, at any depth but not inside each other.
 * @param value what was parsed
 * @param json its text, which is valid; its nesting is the caller's to bound
 */
export function memberTexts(
  value: unknown,
  json: string,
  names: ReadonlySet<string>,
): readonly WrittenMember[] {
  const reader = new MemberReader(json, names);
  reader.read(value);
  return reader.found;
}

/** The last of the white space characters; all others of JSON have lower codes. */
const SPACE = 0x20;

/** Reads JSON that is known to be valid beside what was parsed from it. */
class MemberReader {
  readonly #json: string;
  readonly #names: ReadonlySet<string>;
  readonly found: WrittenMember[] = [];
  #position = 0;

  constructor(json: string, names: ReadonlySet<string>) {
    this.#json = json;
    this.#names = names;
  }

  /**
   * Reads the next value.
   * @param value it, unless a later member of the same name has replaced it
   */
  read(value: unknown): void {
    switch (this.#next()) {
      case "{":
        this.#members(value);
        break;
      case "[":
        this.#items(value);
        break;
      case '"':
        this.#passText();
        break;
      default:
        this.#scalar();
    }
  }

  #members(value: unknown): void {
    do {
      this.#position++;
      if (this.#next() === "}") break;
      const key = this.#key();
      this.#next();
      // The colon.
      this.#position++;
      this.#member(key, isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
    } while (this.#next() === ",");
    this.#position++;
  }

  #member(key: string, value: unknown): void {
    if (!this.#names.has(key) || this.#next() !== "{") {
      this.read(value);
      return;
    }
    const start = this.#position;
    this.#members(undefined);
    if (isJsonObject(value)) this.found.push([value, this.#json.slice(start, this.#position)]);
  }

  #items(value: unknown): void {
    const items = Array.isArray(value) ? value : [];
    let index = 0;
    do {
      this.#position++;
      if (this.#next() === "]") break;
      this.read(items[index++]);
    } while (this.#next() === ",");
    this.#position++;
  }

  /** The next character that is no white space; it is not passed. */
  #next(): string | undefined {
    while (this.#json.charCodeAt(this.#position) <= SPACE) this.#position++;
    return this.#json[this.#position];
  }

  /** A number or a literal, up to the character after it. */
  #scalar(): void {
    for (;;) {
      const next = this.#json[this.#position];
      if (next === undefined || next === "," || next === "}" || next === "]") return;
      this.#position++;
    }
  }

  /** A member's name, whose opening quote is next. */
  #key(): string {
    const start = this.#position;
    this.#passText();
    const quoted = this.#json.slice(start, this.#position);
    return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  }

  /** Passes a text whose opening quote is next. */
  #passText(): void {
    let end = this.#json.indexOf('"', this.#position + 1);
    while (isEscaped(this.#json, end)) end = this.#json.indexOf('"', end + 1);
    this.#position = end + 1;
  }
}

/** Whether an odd number of backslashes precedes a position inside a text. */
function isEscaped(json: string, position: number): boolean {
  let backslashes = 0;
  while (json[position - backslashes - 1] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
