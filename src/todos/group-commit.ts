/** A submitted change and the promise that waits for it. */
interface PendingChange<State> {
  readonly apply: (draft: State) => Outcome;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  /** False for a change that refused and so left the draft as it was. */
  readonly changed: boolean;
  /** Tells the submitter. Only called when the draft is kept. */
  readonly settle: () => void;
}

export interface GroupCommitOptions<State> {
  readonly initial: State;
  /** Makes a draft: changes to it leave the original as it was. */
  readonly draftOf: (state: State) => State;
  /** Keeps a state for good, or rejects. Never called while an earlier call is pending. */
  readonly persist: (state: State) => Promise<void>;
}

/**
 * Changes a state in groups: changes that are submitted while a group is being persisted wait, and
 * form the next group together.
 *
 * Invariant: `committed` is always a state that was persisted. A group is applied to a draft, and
 * the draft takes the place of `committed` when it has been persisted. When that fails the draft is
 * dropped, and nothing has to be undone. No change is applied before its group's turn, so a change
 * never builds on one that may still fail.
 */
export class GroupCommit<State> {
  readonly #draftOf: (state: State) => State;
  readonly #persist: (state: State) => Promise<void>;
  #committed: State;
  #waiting: PendingChange<State>[] = [];
  #running: Promise<void> | undefined;

  constructor({ initial, draftOf, persist }: GroupCommitOptions<State>) {
    this.#committed = initial;
    this.#draftOf = draftOf;
    this.#persist = persist;
  }

  /** The state that was persisted last. To be read, not written. */
  get committed(): State {
    return this.#committed;
  }

  /**
   * Applies a change and resolves with its result once the result is persisted. Changes are applied
   * in the order of their submission.
   *
   * A change refuses by throwing, and must then leave the draft as it was; this promise rejects with
   * what it threw. When persisting fails, this promise rejects with that failure, for every change
   * of the group: a refusal too may rest on a neighbour's change that is not kept.
   */
  submit<Result>(change: (draft: State) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const apply = (draft: State): Outcome => {
        try {
          const result = change(draft);
          return { changed: true, settle: () => resolve(result) };
        } catch (refusal) {
          return { changed: false, settle: () => reject(refusal) };
        }
      };
      this.#waiting.push({ apply, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all changes submitted so far are settled. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#commit(group);
    }
    this.#running = undefined;
  }

  async #commit(group: readonly PendingChange<State>[]): Promise<void> {
    const draft = this.#draftOf(this.#committed);
    const outcomes = group.map((change) => change.apply(draft));
    try {
      if (outcomes.some(({ changed }) => changed)) await this.#persist(draft);
    } catch (error) {
      for (const change of group) change.reject(error);
      return;
    }
    this.#committed = draft;
    for (const { settle } of outcomes) settle();
  }
}
