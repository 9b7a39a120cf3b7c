import assert from "node:assert/strict";

/** A submitted change and the functions that settle its promise. */
interface PendingChange<State> {
  /** Applies the change. Returns a function that settles the promise once the group is durable. */
  readonly apply: (draft: State) => () => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions<State> {
  readonly initial: State;
  /** Creates a draft. Changes to the draft must not affect the original. */
  readonly createDraft: (state: State) => State;
  /** Whether a draft differs from its original and so has to be persisted. */
  readonly isChanged: (draft: State, original: State) => boolean;
  /** Makes a state durable, or rejects. Never called while an earlier call is pending. */
  readonly persist: (state: State) => Promise<void>;
  /**
   * Whether some changes of a group that failed to persist may be persisted alone: on a full disk,
   * changes that need no more space.
   * @default never
   */
  readonly isDueToSize?: (failure: unknown) => boolean;
}

/**
 * Group commit: changes submitted while a group is being persisted are queued, and form the next
 * group together.
 *
 * Invariant: `committed` is always a state that was persisted. A group is applied to a draft, and
 * the draft replaces `committed` once it is persisted. If that fails, the draft is dropped and
 * there is nothing to roll back. A change is not applied before its group is, so it never builds on
 * a change that may still fail.
 */
export class GroupCommit<State> {
  readonly #createDraft: (state: State) => State;
  readonly #isChanged: (draft: State, original: State) => boolean;
  readonly #persist: (state: State) => Promise<void>;
  readonly #isDueToSize: (failure: unknown) => boolean;
  #committed: State;
  #queue: PendingChange<State>[] = [];
  #running: Promise<void> | undefined;
  #isPersisting = false;

  constructor({
    initial,
    createDraft,
    isChanged,
    persist,
    isDueToSize = () => false,
  }: GroupCommitOptions<State>) {
    this.#committed = initial;
    this.#createDraft = createDraft;
    this.#isChanged = isChanged;
    this.#persist = persist;
    this.#isDueToSize = isDueToSize;
  }

  /** The most recently persisted state. Read-only. */
  get committed(): State {
    return this.#committed;
  }

  /** Number of changes queued after the write in flight. */
  get queueLength(): number {
    return this.#queue.length;
  }

  /**
   * Applies a change and resolves with its result once that is durable. Changes are applied in the
   * order of submission.
   *
   * A change is refused by throwing, and must then leave the draft unmodified; the returned promise
   * rejects with the error. If persisting fails, every change of the group rejects with that
   * failure, even a refused one, because the refusal may depend on another change of the group. If
   * the failure is due to the size of the state, the changes are first applied and persisted one by
   * one.
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
      this.#queue.push({ apply, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all changes submitted so far are settled. */
  async whenSettled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const group = this.#queue;
      this.#queue = [];
      await this.#commit(group);
    }
    this.#running = undefined;
  }

  /** Never rejects: any error rejects the changes of the group, and the next group is committed. */
  async #commit(group: readonly PendingChange<State>[]): Promise<void> {
    try {
      const draft = this.#createDraft(this.#committed);
      const settleAll = group.map((change) => change.apply(draft));
      if (this.#isChanged(draft, this.#committed)) await this.#persistAlone(draft);
      this.#committed = draft;
      for (const settle of settleAll) settle();
    } catch (error) {
      if (group.length > 1 && this.#isDueToSize(error)) {
        for (const change of group) await this.#commit([change]);
      } else {
        for (const change of group) change.reject(error);
      }
    }
  }

  async #persistAlone(draft: State): Promise<void> {
    assert(!this.#isPersisting, "expected no write in flight, got a second one");
    this.#isPersisting = true;
    try {
      await this.#persist(draft);
    } finally {
      this.#isPersisting = false;
    }
  }
}
