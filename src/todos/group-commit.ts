/** A submitted change and the promise that waits for it. */
interface PendingChange<State> {
  /** Applies the change, and gives what tells the submitter, to be called when the draft is kept. */
  readonly apply: (draft: State) => () => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions<State> {
  readonly initial: State;
  /** Makes a draft: changes to it leave the original as it was. */
  readonly draftOf: (state: State) => State;
  /** Whether a draft says anything else than its original, and so has to be persisted. */
  readonly isChanged: (draft: State, original: State) => boolean;
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
  readonly #isChanged: (draft: State, original: State) => boolean;
  readonly #persist: (state: State) => Promise<void>;
  #committed: State;
  #waiting: PendingChange<State>[] = [];
  #running: Promise<void> | undefined;

  constructor({ initial, draftOf, isChanged, persist }: GroupCommitOptions<State>) {
    this.#committed = initial;
    this.#draftOf = draftOf;
    this.#isChanged = isChanged;
    this.#persist = persist;
  }

  /** The state that was persisted last. To be read, not written. */
  get committed(): State {
    return this.#committed;
  }

  /** How many changes wait for the write that is going on. */
  get waiting(): number {
    return this.#waiting.length;
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
      const apply = (draft: State) => {
        try {
          const result = change(draft);
          return () => resolve(result);
        } catch (refusal) {
          return () => reject(refusal);
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
    const tellAll = group.map((change) => change.apply(draft));
    try {
      if (this.#isChanged(draft, this.#committed)) await this.#persist(draft);
    } catch (error) {
      for (const change of group) change.reject(error);
      return;
    }
    this.#committed = draft;
    for (const tell of tellAll) tell();
  }
}
