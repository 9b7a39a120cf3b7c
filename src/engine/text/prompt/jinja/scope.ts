import type { Value } from "./value.js";

/** Variables of a template, a loop or a macro, within those around it. */
export class Scope {
  readonly #variables = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  /** A variable's value; undefined if there is none of that name. */
  get(name: string): Value {
    if (this.#variables.has(name)) return this.#variables.get(name);
    return this.#outer?.get(name);
  }

  /** Sets a variable of this scope, which hides those of the same name around it. */
  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}
