import assert from "node:assert/strict";
import { CellLedger, type HeldPart } from "./cell-ledger.js";
import {
  type AdapterSet,
  agreedCells,
  append,
  copyOf,
  type GrowingIdentity,
  noAdapters,
  nothing,
  type PromptIdentity,
  type PromptSegment,
  truncate,
} from "./prompt-identity.js";
import { noOwners, ownersOfPrefix, type StateOwners } from "./state-owners.js";

/** The right of one generation to a sequence. A sequence has at most one lease at a time. */
export interface Lease {
  /** Changes when the pool moves the state to another sequence. */
  readonly sequenceId: number;
  /** Of which the sequence holds the keys and values. */
  readonly held: PromptIdentity;
  /** See {@link SequenceRecord}. */
  readonly begunCells: number;
}

/** What one sequence holds, and for which prompt. */
export interface SequenceRecord {
  readonly id: number;
  readonly held: PromptIdentity;
  /** Cells of media that are evaluated behind that, and not held before all of them are. */
  readonly begunCells: number;
  /** The API key that it was leased for last, by its name: all that it holds is its prompt and its answer. */
  readonly owner: string | undefined;
  /** Whose else the first of these tokens are. */
  readonly otherOwners: StateOwners;
  /** Grows with every lease; 0: never used. */
  readonly lastUsed: number;
  /**
   * `dirty`: its cells hold what others must not read, and it is not used until they are overwritten. `lost`:
   * not even emptying it succeeded, so it is not used again.
   */
  readonly status: "idle" | "busy" | "dirty" | "lost";
  /** The whole prompt while it is evaluated; absent when idle or decoding. */
  readonly prefilling?: PromptIdentity;
  /** Lengths, ascending, at which evaluating the prompt pauses so that the state can be saved. */
  readonly checkpoints: readonly number[];
  /** Tokens that its generation may hold; 0 when idle. */
  readonly reservedTokens: number;
  /** `stays`: its generation has asked for this sequence. */
  readonly place: "stays" | "may-move";
}

interface MutableRecord extends SequenceRecord {
  held: GrowingIdentity;
  begunCells: number;
  /** Under which its lease evaluates. */
  adapters: AdapterSet;
  owner: string | undefined;
  otherOwners: StateOwners;
  lastUsed: number;
  status: SequenceRecord["status"];
  prefilling?: PromptIdentity;
  checkpoints: readonly number[];
  reservedTokens: number;
  place: SequenceRecord["place"];
  lease?: MovableLease;
}

class MovableLease implements Lease {
  record: MutableRecord;

  constructor(record: MutableRecord) {
    this.record = record;
  }

  get sequenceId(): number {
    return this.record.id;
  }

  get held(): PromptIdentity {
    return this.record.held;
  }

  get begunCells(): number {
    return this.record.begunCells;
  }
}

/** What a sequence is leased for. */
export interface Occupation {
  readonly prompt: PromptIdentity;
  readonly owner?: string | undefined;
  readonly checkpoints: readonly number[];
  readonly reservedTokens: number;
  readonly place?: SequenceRecord["place"];
}

/**
 * The bookkeeping of a context's sequences: what each holds, in which cells if the cache is
 * unified, and which lease is on it. It makes no native call; {@link SequencePool} changes llama.cpp's state together with it.
 */
export class SequenceRecords {
  readonly #records: readonly MutableRecord[];
  readonly #ledger: CellLedger;
  #leases = 0;

  /** @param sequences their ids are 0 to `sequences` − 1 */
  constructor(sequences: number) {
    this.#records = Array.from({ length: sequences }, (_, id) => ({
      id,
      held: nothing(),
      begunCells: 0,
      adapters: noAdapters,
      owner: undefined,
      otherOwners: noOwners,
      lastUsed: 0,
      status: "idle" as const,
      checkpoints: [],
      reservedTokens: 0,
      place: "may-move" as const,
    }));
    this.#ledger = new CellLedger(sequences);
  }

  /** In ascending id. */
  get all(): readonly SequenceRecord[] {
    return this.#records;
  }

  /** @throws {RangeError} for an unknown id */
  get(id: number): SequenceRecord {
    return this.#record(id);
  }

  /** Cells of a unified cache that are held. */
  get usedCells(): number {
    return this.#ledger.used;
  }

  /** Cells that generations are promised beyond what they hold. */
  get promisedCells(): number {
    return this.#records.reduce(
      (sum, { held, reservedTokens }) => sum + Math.max(0, reservedTokens - held.cells.length),
      0,
    );
  }

  /** Cells that are held by at least one of these parts. */
  cellsOf(parts: readonly HeldPart[]): number {
    return this.#ledger.usedBy(parts);
  }

  /** Leases an idle sequence; what it holds stays. */
  occupy(id: number, occupation: Occupation): Lease {
    const { prompt, owner, checkpoints, reservedTokens, place = "may-move" } = occupation;
    const record = this.#record(id);
    assert(record.status === "idle", `sequence ${id} is leased while it is ${record.status}`);
    assert.equal(record.begunCells, 0, `half an image was left on sequence ${id}`);
    record.status = "busy";
    record.otherOwners = ownersOf(record);
    record.owner = owner;
    record.lastUsed = ++this.#leases;
    record.adapters = prompt.adapters;
    record.prefilling = prompt;
    record.checkpoints = checkpoints;
    record.reservedTokens = reservedTokens;
    record.place = place;
    record.lease = new MovableLease(record);
    return record.lease;
  }

  /** Records what has been evaluated, under the adapters of the lease's prompt. */
  append(lease: Lease, segment: PromptSegment): void {
    const record = this.#leased(lease);
    if (record.held.adapters !== record.adapters) adoptAdapters(record);
    record.begunCells = 0;
    this.#ledger.append(record.id, append(record.held, segment));
  }

  /** Records how many cells of the next media have been evaluated, of which there are more. */
  noteBegun(lease: Lease, cells: number): void {
    this.#leased(lease).begunCells = cells;
  }

  /** Records that they were taken back. */
  noteTakenBack(id: number): void {
    this.#record(id).begunCells = 0;
  }

  /** Changes what a generation may hold. */
  reserve(lease: Lease, reservedTokens: number): void {
    this.#leased(lease).reservedTokens = reservedTokens;
  }

  /** Records that only the first `length` tokens are held. */
  truncate(id: number, length: number): void {
    const record = this.#record(id);
    const held = record.held.cells.length;
    assert(length <= held, `sequence ${id} holds ${held} tokens and is truncated to ${length}`);
    truncate(record.held, length);
    record.otherOwners = ownersOfPrefix(record.otherOwners, length);
    this.#ledger.truncate(id, length);
  }

  /** Records that the sequence holds this and nothing else. */
  replace(id: number, held: PromptIdentity, owners = noOwners): void {
    Object.assign(this.#record(id), { held: copyOf(held), begunCells: 0, otherOwners: owners });
    this.#ledger.truncate(id, 0);
    this.#ledger.append(id, held.cells.length);
  }

  /** Records that a sequence holds what another one holds. */
  copy(from: number, to: number): void {
    const source = this.#record(from);
    const copied = { held: copyOf(source.held), otherOwners: ownersOf(source) };
    Object.assign(this.#record(to), copied);
    this.#ledger.truncate(to, 0);
    this.#ledger.share(from, to);
  }

  /** The prompt is evaluated. */
  endPrefill(lease: Lease): void {
    delete this.#leased(lease).prefilling;
  }

  /** Adds a length at which evaluating the prompt pauses. */
  addCheckpoint(id: number, length: number): void {
    const record = this.#record(id);
    record.checkpoints = [...new Set([...record.checkpoints, length])].toSorted((a, b) => a - b);
  }

  /** Removes the next checkpoint. */
  passCheckpoint(lease: Lease): void {
    const record = this.#leased(lease);
    record.checkpoints = record.checkpoints.slice(1);
  }

  /** Moves a lease to an idle sequence that holds the same; the old sequence is idle then. */
  move(fromId: number, toId: number): void {
    const [from, to] = [this.#record(fromId), this.#record(toId)];
    const { lease } = from;
    assert(lease !== undefined, `sequence ${fromId} is moved without a lease`);
    assert(to.status === "idle", `sequence ${toId} is moved to while it is ${to.status}`);
    assert(from.place === "may-move", `sequence ${fromId} is moved although it was asked for`);
    const { adapters, owner, otherOwners, lastUsed, status, prefilling } = from;
    const { begunCells, checkpoints, reservedTokens } = from;
    Object.assign(to, { adapters, owner, otherOwners, lastUsed, status });
    Object.assign(to, { begunCells, checkpoints, reservedTokens, lease });
    if (prefilling !== undefined) to.prefilling = prefilling;
    lease.record = to;
    this.vacate(fromId);
  }

  /** Ends a lease; what the sequence holds stays. */
  release(lease: Lease): void {
    this.vacate(this.#leased(lease).id);
  }

  /** Makes a sequence idle, leased or not. */
  vacate(id: number): void {
    const record = this.#record(id);
    delete record.prefilling;
    delete record.lease;
    record.checkpoints = [];
    record.reservedTokens = 0;
    if (record.status === "busy") record.status = "idle";
  }

  /** Takes an idle sequence out of use until {@link clear}. */
  markDirty(id: number): void {
    const record = this.#record(id);
    if (record.status === "idle") record.status = "dirty";
  }

  /** Records that all cells are empty and overwritten. No sequence is busy. */
  clear(): void {
    for (const record of this.#records) {
      assert(record.status !== "busy", `sequence ${record.id} is busy while the cache is cleared`);
      this.replace(record.id, nothing());
      if (record.status === "dirty") record.status = "idle";
    }
  }

  /** Takes a sequence out of use. */
  lose(id: number): void {
    this.#record(id).status = "lost";
  }

  #record(id: number): MutableRecord {
    const record = this.#records[id];
    if (record === undefined) throw new RangeError(`there is no sequence ${id}`);
    return record;
  }

  #leased(lease: Lease): MutableRecord {
    const record = this.#record(lease.sequenceId);
    assert(record.lease === lease, `the lease on sequence ${record.id} has ended`);
    return record;
  }
}

/** What a sequence holds is computed under the adapters of its lease, as far as it goes. */
function adoptAdapters(record: MutableRecord): void {
  const { adapters, held, id } = record;
  const areItsOwn = held.cells.length <= agreedCells(held.adapters, adapters);
  assert(
    areItsOwn,
    `sequence ${id} holds what was evaluated under other adapters than its lease's`,
  );
  record.held = { ...held, adapters };
}

/** Whose requests account for what a sequence holds. */
export function ownersOf({
  held,
  owner,
  otherOwners,
}: Pick<SequenceRecord, "held" | "owner" | "otherOwners">): StateOwners {
  if (owner === undefined) return otherOwners;
  return new Map([...otherOwners, [owner, held.cells.length]]);
}
