import { isJsonObject } from "../core/json.js";

/** An object of a parsed value, with its source text. */
type WrittenMember = readonly [object: object, text: string];

/**
 * Finds the objects that are members of the given names, at any depth but not nested in each other.
 * @param value the parsed value
 * @param json its valid text; the caller must bound its nesting
 */
export function findMemberTexts(
  value: unknown,
  json: string,
  names: ReadonlySet<string>,
): readonly WrittenMember[] {
  const reader = new MemberReader(json, names);
  reader.read(value);
  return reader.results;
}

/** Finds the source text of an object that is a member of a value; see {@link findMemberTexts}. */
export function findMemberText(value: unknown, json: string, name: string): string | undefined {
  const member = isJsonObject(value) ? value[name] : undefined;
  return findMemberTexts(value, json, new Set([name])).find(([found]) => found === member)?.[1];
}

/** The highest white space character of JSON; all other characters of JSON are greater. */
const SPACE = 0x20;

/** Walks valid JSON text in parallel with its parsed value. */
class MemberReader {
  readonly #json: string;
  readonly #names: ReadonlySet<string>;
  readonly results: WrittenMember[] = [];
  #position = 0;

  constructor(json: string, names: ReadonlySet<string>) {
    this.#json = json;
    this.#names = names;
  }

  /**
   * Reads the next value.
   * @param value its parsed form, unless a later member of the same name has replaced it
   */
  read(value: unknown): void {
    switch (this.#peek()) {
      case "{":
        this.#readMembers(value);
        break;
      case "[":
        this.#readItems(value);
        break;
      case '"':
        this.#skipString();
        break;
      default:
        this.#skipScalar();
    }
  }

  #readMembers(value: unknown): void {
    do {
      this.#position++;
      if (this.#peek() === "}") break;
      const key = this.#readKey();
      this.#peek();
      // The colon.
      this.#position++;
      this.#readMember(
        key,
        isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined,
      );
    } while (this.#peek() === ",");
    this.#position++;
  }

  #readMember(key: string, value: unknown): void {
    if (!this.#names.has(key) || this.#peek() !== "{") {
      this.read(value);
      return;
    }
    const start = this.#position;
    this.#readMembers(undefined);
    if (isJsonObject(value)) this.results.push([value, this.#json.slice(start, this.#position)]);
  }

  #readItems(value: unknown): void {
    const items = Array.isArray(value) ? value : [];
    let index = 0;
    do {
      this.#position++;
      if (this.#peek() === "]") break;
      this.read(items[index++]);
    } while (this.#peek() === ",");
    this.#position++;
  }

  /** The next non-space character, without consuming it. */
  #peek(): string | undefined {
    while (this.#json.charCodeAt(this.#position) <= SPACE) this.#position++;
    return this.#json[this.#position];
  }

  /** Skips a number or a literal. */
  #skipScalar(): void {
    for (;;) {
      const next = this.#json[this.#position];
      if (next === undefined || next === "," || next === "}" || next === "]") return;
      this.#position++;
    }
  }

  /** Reads a member name, starting at its opening quote. */
  #readKey(): string {
    const start = this.#position;
    this.#skipString();
    const quoted = this.#json.slice(start, this.#position);
    return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  }

  /** Skips a string, starting at its opening quote. */
  #skipString(): void {
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
