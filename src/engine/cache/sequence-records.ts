import assert from "node:assert/strict";
import { CellLedger, type HeldPart } from "./cell-ledger.js";
import {
  type AdapterSet,
  append,
  copyIdentity,
  countAgreedCells,
  createEmptyIdentity,
  type GrowingIdentity,
  noAdapters,
  type PromptIdentity,
  type PromptSegment,
  truncate,
} from "./prompt-identity.js";
import { noOwners, type StateOwners, truncateOwners } from "./state-owners.js";

/**
 * Expected continuation of the cells of an idle sequence. `conversation`: the next turn. `generation`: the suspended
 * generation that computed them. `nothing`: they are an ended line of a batch; other prompts may share its beginning.
 */
export type Continuation = "conversation" | "generation" | "nothing";

/** A generation's right to use a sequence. A sequence has at most one lease at a time. */
export interface Lease {
  /** Increases with every lease. */
  readonly number: number;
  /** Changes when the pool moves the state to another sequence. */
  readonly sequenceId: number;
  /** Cells whose keys and values the sequence holds. */
  readonly contents: PromptIdentity;
  /** See {@link SequenceRecord}. */
  readonly partialMediaCells: number;
}

/** Record of one sequence: its cells, its lease and its reservation. */
export interface SequenceRecord {
  readonly id: number;
  readonly contents: PromptIdentity;
  /** Number of evaluated cells of the next media; they count as held once all its cells are evaluated. */
  readonly partialMediaCells: number;
  /** Name of the API key that the sequence was last leased for; all held cells are its prompt and answer. */
  readonly owner: string | undefined;
  /** Other API keys that own a prefix of the held cells. */
  readonly otherOwners: StateOwners;
  /** Number of the last lease; 0: never used. */
  readonly lastUsed: number;
  /** Expected continuation of the held cells once the sequence is idle. */
  readonly keptFor: Continuation;
  /**
   * `dirty`: the cells hold values that other sequences must not read; the sequence is not used until they are
   * overwritten. `lost`: emptying the sequence failed; it is not used again.
   */
  readonly status: "idle" | "busy" | "dirty" | "lost";
  /** The whole prompt while it is evaluated; absent when idle or decoding. */
  readonly prefilling?: PromptIdentity;
  /** Lengths, ascending, at which prefill pauses so that the state can be saved. */
  readonly checkpoints: readonly number[];
  /** Number of tokens that the generation may hold; 0 when idle. */
  readonly reservedTokens: number;
  /** `stays`: the request asked for this sequence. */
  readonly mobility: "stays" | "may-move";
}

interface MutableRecord extends SequenceRecord {
  contents: GrowingIdentity;
  partialMediaCells: number;
  /** Adapters of the lease's prompt. */
  adapters: AdapterSet;
  owner: string | undefined;
  otherOwners: StateOwners;
  lastUsed: number;
  keptFor: Continuation;
  status: SequenceRecord["status"];
  prefilling?: PromptIdentity;
  checkpoints: readonly number[];
  reservedTokens: number;
  mobility: SequenceRecord["mobility"];
  lease?: MovableLease;
}

class MovableLease implements Lease {
  record: MutableRecord;
  readonly number: number;

  constructor(record: MutableRecord) {
    this.record = record;
    this.number = record.lastUsed;
  }

  get sequenceId(): number {
    return this.record.id;
  }

  get contents(): PromptIdentity {
    return this.record.contents;
  }

  get partialMediaCells(): number {
    return this.record.partialMediaCells;
  }
}

/** Parameters of a lease. */
export interface LeaseOptions {
  readonly prompt: PromptIdentity;
  readonly owner?: string | undefined;
  readonly checkpoints: readonly number[];
  readonly reservedTokens: number;
  readonly mobility?: SequenceRecord["mobility"];
  /** See {@link SequenceRecord}; `conversation` by default. */
  readonly keptFor?: Continuation | undefined;
}

/**
 * Bookkeeping of a context's sequences: the held cells, including their cells in a unified KV cache, and the leases.
 * Makes no native call; {@link SequencePool} changes llama.cpp's KV cache accordingly.
 */
export class SequenceRecords {
  readonly #records: readonly MutableRecord[];
  readonly #ledger: CellLedger;
  #leases = 0;

  /** @param sequences their ids are 0 to `sequences` − 1 */
  constructor(sequences: number) {
    this.#records = Array.from({ length: sequences }, (_, id) => ({
      id,
      contents: createEmptyIdentity(),
      partialMediaCells: 0,
      adapters: noAdapters,
      owner: undefined,
      otherOwners: noOwners,
      lastUsed: 0,
      keptFor: "conversation" as const,
      status: "idle" as const,
      checkpoints: [],
      reservedTokens: 0,
      mobility: "may-move" as const,
    }));
    this.#ledger = new CellLedger(sequences);
  }

  /** All records, in ascending id. */
  get all(): readonly SequenceRecord[] {
    return this.#records;
  }

  /** @throws {RangeError} for an unknown id */
  get(id: number): SequenceRecord {
    return this.#getRecord(id);
  }

  /** Number of cells of a unified KV cache that are held. */
  get usedCells(): number {
    return this.#ledger.usedCells;
  }

  /** Number of cells reserved for generations beyond the cells they hold. */
  get promisedCells(): number {
    return this.#records.reduce(
      (sum, { contents, reservedTokens }) =>
        sum + Math.max(0, reservedTokens - contents.cells.length),
      0,
    );
  }

  /** Returns the number of cells held by at least one of these parts. */
  cellsOf(parts: readonly HeldPart[]): number {
    return this.#ledger.countCellsOf(parts);
  }

  /** Leases an idle sequence, which keeps its cells. */
  occupy(id: number, options: LeaseOptions): Lease {
    const { prompt, owner, checkpoints, reservedTokens } = options;
    const { mobility = "may-move", keptFor = "conversation" } = options;
    const record = this.#getRecord(id);
    assert(record.status === "idle", `cannot lease sequence ${id}: it is ${record.status}`);
    assert.equal(record.partialMediaCells, 0, `sequence ${id} ends within an image`);
    record.status = "busy";
    record.otherOwners = collectOwners(record);
    record.owner = owner;
    record.lastUsed = ++this.#leases;
    record.keptFor = keptFor;
    record.adapters = prompt.adapters;
    record.prefilling = prompt;
    record.checkpoints = checkpoints;
    record.reservedTokens = reservedTokens;
    record.mobility = mobility;
    record.lease = new MovableLease(record);
    return record.lease;
  }

  /** Records a segment that has been evaluated under the adapters of the lease's prompt. */
  append(lease: Lease, segment: PromptSegment): void {
    const record = this.#getLeasedRecord(lease);
    if (record.contents.adapters !== record.adapters) adoptAdapters(record);
    record.partialMediaCells = 0;
    this.#ledger.append(record.id, append(record.contents, segment));
  }

  /** Records the number of evaluated cells of the next media, which is not fully evaluated yet. */
  notePartialMedia(lease: Lease, cells: number): void {
    this.#getLeasedRecord(lease).partialMediaCells = cells;
  }

  /** Records that the cells of partially evaluated media were removed. */
  notePartialMediaRemoved(id: number): void {
    this.#getRecord(id).partialMediaCells = 0;
  }

  /** Sets the number of tokens that a generation may hold. */
  reserve(lease: Lease, reservedTokens: number): void {
    this.#getLeasedRecord(lease).reservedTokens = reservedTokens;
  }

  /** Records that only the first `length` tokens are held. */
  truncate(id: number, length: number): void {
    const record = this.#getRecord(id);
    const heldTokens = record.contents.cells.length;
    assert(
      length <= heldTokens,
      `sequence ${id} of ${heldTokens} tokens cannot be truncated to ${length}`,
    );
    truncate(record.contents, length);
    record.otherOwners = truncateOwners(record.otherOwners, length);
    this.#ledger.truncate(id, length);
  }

  /** Records that the sequence holds exactly `held`. */
  replace(id: number, contents: PromptIdentity, owners = noOwners): void {
    Object.assign(this.#getRecord(id), {
      contents: copyIdentity(contents),
      partialMediaCells: 0,
      otherOwners: owners,
    });
    this.#ledger.truncate(id, 0);
    this.#ledger.append(id, contents.cells.length);
  }

  /** Records that sequence `to` holds a copy of sequence `from`. */
  copy(from: number, to: number): void {
    const source = this.#getRecord(from);
    const copied = { contents: copyIdentity(source.contents), otherOwners: collectOwners(source) };
    Object.assign(this.#getRecord(to), copied);
    this.#ledger.truncate(to, 0);
    this.#ledger.share(from, to);
  }

  /** Records that the prompt is evaluated. */
  endPrefill(lease: Lease): void {
    delete this.#getLeasedRecord(lease).prefilling;
  }

  /** Adds a length at which prefill pauses. */
  addCheckpoint(id: number, length: number): void {
    const record = this.#getRecord(id);
    record.checkpoints = [...new Set([...record.checkpoints, length])].toSorted((a, b) => a - b);
  }

  /** Removes the next checkpoint. */
  passCheckpoint(lease: Lease): void {
    const record = this.#getLeasedRecord(lease);
    record.checkpoints = record.checkpoints.slice(1);
  }

  /** Moves a lease to an idle sequence that holds the same cells; the old sequence becomes idle. */
  move(fromId: number, toId: number): void {
    const [from, to] = [this.#getRecord(fromId), this.#getRecord(toId)];
    const { lease } = from;
    assert(lease !== undefined, `cannot move sequence ${fromId}: it has no lease`);
    assert(to.status === "idle", `cannot overwrite sequence ${toId}: it is ${to.status}`);
    assert(from.mobility === "may-move", `cannot move sequence ${fromId}: the request named it`);
    const { adapters, owner, otherOwners, lastUsed, status, prefilling } = from;
    const { partialMediaCells, checkpoints, reservedTokens, keptFor } = from;
    Object.assign(to, { adapters, owner, otherOwners, lastUsed, keptFor, status });
    Object.assign(to, { partialMediaCells, checkpoints, reservedTokens, lease });
    if (prefilling !== undefined) to.prefilling = prefilling;
    lease.record = to;
    this.vacate(fromId);
  }

  /**
   * Ends a lease; the sequence keeps its cells.
   * @param keptFor expected continuation of the cells; by default that of {@link LeaseOptions}
   */
  release(lease: Lease, keptFor?: Continuation): void {
    const record = this.#getLeasedRecord(lease);
    record.keptFor = keptFor ?? record.keptFor;
    this.vacate(record.id);
  }

  /** Records that the suspended generation with this lease does not continue. */
  forgetSuspended({ sequenceId, number }: Lease): void {
    const record = this.#getRecord(sequenceId);
    const isHeld = record.lastUsed === number && record.keptFor === "generation";
    if (isHeld) record.keptFor = "nothing";
  }

  /** Makes a sequence idle, leased or not. */
  vacate(id: number): void {
    const record = this.#getRecord(id);
    delete record.prefilling;
    delete record.lease;
    record.checkpoints = [];
    record.reservedTokens = 0;
    if (record.status === "busy") record.status = "idle";
  }

  /** Takes an idle sequence out of use until {@link clear}. */
  markDirty(id: number): void {
    const record = this.#getRecord(id);
    if (record.status === "idle") record.status = "dirty";
  }

  /** Records that all cells are empty and overwritten. No sequence may be busy. */
  clear(): void {
    for (const record of this.#records) {
      assert(record.status !== "busy", `cannot clear the cache: sequence ${record.id} is busy`);
      this.replace(record.id, createEmptyIdentity());
      if (record.status === "dirty") record.status = "idle";
    }
  }

  /** Takes a sequence out of use permanently. */
  disable(id: number): void {
    this.#getRecord(id).status = "lost";
  }

  #getRecord(id: number): MutableRecord {
    const record = this.#records[id];
    if (record === undefined) throw new RangeError(`there is no sequence ${id}`);
    return record;
  }

  #getLeasedRecord(lease: Lease): MutableRecord {
    const record = this.#getRecord(lease.sequenceId);
    assert(record.lease === lease, `the lease on sequence ${record.id} has ended`);
    return record;
  }
}

/** Sets the adapters of the held cells to the lease's; both sets must agree for all held cells. */
function adoptAdapters(record: MutableRecord): void {
  const { adapters, contents, id } = record;
  const areCompatible = contents.cells.length <= countAgreedCells(contents.adapters, adapters);
  assert(
    areCompatible,
    `sequence ${id} holds cells evaluated with other adapters than its lease's`,
  );
  record.contents = { ...contents, adapters };
}

/** Returns the API keys whose requests produced the held cells, each with the length of its prefix. */
export function collectOwners({
  contents,
  owner,
  otherOwners,
}: Pick<SequenceRecord, "contents" | "owner" | "otherOwners">): StateOwners {
  if (owner === undefined) return otherOwners;
  return new Map([...otherOwners, [owner, contents.cells.length]]);
}
