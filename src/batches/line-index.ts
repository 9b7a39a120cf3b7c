import { fingerprintPrompt, type LineFacts, PREFIX_COUNT, promptTextOf } from "./line-order.js";
import type { InputLine } from "./parse-line.js";

const INITIAL_LINES = 1024;

/**
 * Positions and order-relevant properties of the lines of an input file, in about 120 bytes per
 * line. The lines themselves stay on disk.
 */
export class LineIndex {
  #size = 0;
  #offsets = new Float64Array(INITIAL_LINES);
  #lengths = new Uint32Array(INITIAL_LINES);
  #promptLengths = new Uint32Array(INITIAL_LINES);
  #prefixes = new Uint32Array(INITIAL_LINES * PREFIX_COUNT);
  #groups = new Uint32Array(INITIAL_LINES);
  /** Models and adapters of the lines, each once. */
  readonly #groupNames: (readonly [model: string, adapter: string])[] = [];
  readonly #groupsByKey = new Map<string, number>();

  get size(): number {
    return this.#size;
  }

  add({ body }: Pick<InputLine, "body">, offset: number, length: number): void {
    if (this.#size === this.#offsets.length) this.#grow();
    const line = this.#size++;
    const prompt = promptTextOf(body);
    this.#offsets[line] = offset;
    this.#lengths[line] = length;
    this.#promptLengths[line] = prompt.length;
    this.#prefixes.set(fingerprintPrompt(prompt), line * PREFIX_COUNT);
    this.#groups[line] = this.#groupOf(textOf(body.model), textOf(body.lora));
  }

  /** Names of the models, each once; empty: the lines name none. */
  get models(): readonly string[] {
    return [...new Set(this.#groupNames.map(([model]) => model))];
  }

  modelOf(line: number): string {
    return this.#nameOf(line)[0];
  }

  factsOf(line: number): LineFacts {
    const [model, adapter] = this.#nameOf(line);
    const start = line * PREFIX_COUNT;
    return {
      model,
      adapter,
      prefixes: this.#prefixes.subarray(start, start + PREFIX_COUNT),
      length: this.#promptLengths[line] ?? 0,
    };
  }

  locate(line: number): { readonly offset: number; readonly length: number } {
    return { offset: this.#offsets[line] ?? 0, length: this.#lengths[line] ?? 0 };
  }

  #nameOf(line: number): readonly [model: string, adapter: string] {
    return this.#groupNames[this.#groups[line] ?? 0] ?? ["", ""];
  }

  #groupOf(model: string, adapter: string): number {
    const key = JSON.stringify([model, adapter]);
    const known = this.#groupsByKey.get(key);
    if (known !== undefined) return known;
    const group = this.#groupNames.push([model, adapter]) - 1;
    this.#groupsByKey.set(key, group);
    return group;
  }

  #grow(): void {
    const capacity = 2 * this.#offsets.length;
    this.#offsets = copyTo(new Float64Array(capacity), this.#offsets);
    this.#lengths = copyTo(new Uint32Array(capacity), this.#lengths);
    this.#promptLengths = copyTo(new Uint32Array(capacity), this.#promptLengths);
    this.#prefixes = copyTo(new Uint32Array(capacity * PREFIX_COUNT), this.#prefixes);
    this.#groups = copyTo(new Uint32Array(capacity), this.#groups);
  }
}

function copyTo<Numbers extends Float64Array | Uint32Array>(
  target: Numbers,
  source: Numbers,
): Numbers {
  target.set(source);
  return target;
}

/** Lines without the field, or with an invalid one, which the route refuses, form one group. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
