import { createRefusal, GgufdError } from "../../core/errors.js";
import type { EngineSlot, SlotCommand, SlotOutcome } from "../../core/slot-command.js";
import type { SlotFiles } from "../cache/slot-files.js";
import type { SlotStates } from "../cache/slot-states.js";
import type { RunningGeneration } from "./running-generation.js";

export interface SlotCommandsOptions {
  readonly states: SlotStates;
  /** Files of saved slots; absent: slots cannot be saved. */
  readonly files: Pick<SlotFiles, "find" | "save"> | undefined;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Returns all slots, each with the number of tokens that its sequence holds and the id of its generation. */
export function listSlots(
  states: SlotStates,
  running: readonly RunningGeneration[],
): readonly EngineSlot[] {
  const generations = new Map(running.map(({ id, lease }) => [lease.sequenceId, id]));
  return Array.from({ length: states.slots }, (_, slot) => {
    const generation = generations.get(slot);
    const heldTokens = states.contentsOf(slot).cells.length;
    return generation === undefined ? { heldTokens } : { heldTokens, generation };
  });
}

interface PendingCommand {
  readonly command: SlotCommand;
  readonly resolve: (outcome: SlotOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Slot commands of the operator (save, restore, erase). A command waits until the generation in its slot has ended, and
 * runs before the next generation gets the slot.
 */
export class SlotCommands {
  readonly #options: SlotCommandsOptions;
  #pendingCommands: readonly PendingCommand[] = [];

  constructor(options: SlotCommandsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#pendingCommands.length === 0;
  }

  /**
   * Queues a command for {@link carryOut}.
   * @throws {GgufdError} `invalid_request`, `not_found`, `storage_unavailable`, `server_overloaded`, and
   * `unsupported_operation` if there is no folder for states
   */
  add(command: SlotCommand): Promise<SlotOutcome> {
    const { files, states } = this.#options;
    if (files === undefined) {
      const message = "Saving slots is disabled: start the server with --slot-save-path.";
      return Promise.reject(new GgufdError("unsupported_operation", message));
    }
    if (command.slot >= states.slots) {
      const reason = `expected a slot from 0 to ${states.slots - 1}, got ${command.slot}`;
      return Promise.reject(createRefusal("invalid_request", [{ field: "id", reason }]));
    }
    return new Promise((resolve, reject) => {
      this.#pendingCommands = [...this.#pendingCommands, { command, resolve, reject }];
    });
  }

  /** Carries out the commands whose slots run no generation, in order of arrival. Call it only between two batches. */
  async carryOut(): Promise<void> {
    for (const pending of this.#pendingCommands) {
      const { command, resolve, reject } = pending;
      const slotUse = this.#options.states.useOf(command.slot);
      if (slotUse === "in-use") continue;
      this.#pendingCommands = this.#pendingCommands.filter((other) => other !== pending);
      if (slotUse === "lost") reject(new Error(`sequence ${command.slot} is no longer usable`));
      else await this.#execute(command).then(resolve, reject);
    }
  }

  /** Rejects all pending commands. */
  failAll(error: GgufdError): void {
    for (const { reject } of this.#pendingCommands) reject(error);
    this.#pendingCommands = [];
  }

  async #execute(command: SlotCommand): Promise<SlotOutcome> {
    const { now } = this.#options;
    const beganMs = now();
    const result = await this.#applyCommand(command);
    return { ...result, elapsedMs: now() - beganMs };
  }

  async #applyCommand(command: SlotCommand): Promise<Omit<SlotOutcome, "elapsedMs">> {
    const { files, states } = this.#options;
    const { slot } = command;
    if (command.action === "erase" || files === undefined) {
      return { tokens: states.erase(slot), bytes: 0 };
    }
    if (command.action === "restore") {
      const file = await files.find(command.name);
      await states.load(slot, file);
      return { tokens: file.prompt.cells.length, bytes: file.bytes };
    }
    const contents = states.contentsOf(slot);
    const tokens = contents.cells.length;
    if (tokens === 0) {
      const reason = `expected a slot that holds tokens, but slot ${slot} is empty`;
      throw createRefusal("invalid_request", [{ field: "id", reason }]);
    }
    const bytes = await files.save(command.name, contents, (path) => states.write(slot, path));
    return { tokens, bytes };
  }
}
