/** Each takes a walk over all characters. */
const MAX_PROPERTIES = 20;
/** Ranges of the classes that are read, and characters whose variants of case are looked for: some hundreds of milliseconds. */
const MAX_WORK = 1_000_000;

/** What the characters of one expression, or of several that are read together, may take. */
export class CharacterBudget {
  readonly maxProperties = MAX_PROPERTIES;
  #properties = 0;
  #work = 0;

  /** Whether one more Unicode property may be named. */
  takeProperty(): boolean {
    return ++this.#properties <= MAX_PROPERTIES;
  }

  /** Whether so much more work may be done. */
  spend(work: number): boolean {
    this.#work += work;
    return this.#work <= MAX_WORK;
  }
}
