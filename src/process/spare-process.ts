import type { Channel, ChannelListener } from "./process-channel.js";

/** Starts a process. */
type Open<Sent, Received> = (listener: ChannelListener<Received>) => Channel<Sent>;

/** A spare process, which has no owner until it is taken. */
interface SpareEntry<Sent, Received> {
  readonly channel: Channel<Sent>;
  owner: ChannelListener<Received> | undefined;
}

/**
 * Keeps at most one process started in advance, so that its future owner does not wait for the
 * start. The spare process only does preparatory work that speeds up any task.
 */
export class SpareProcess<Sent, Received> {
  readonly #open: Open<Sent, Received>;
  readonly #createPreparation: () => Sent;
  #spareEntry: SpareEntry<Sent, Received> | undefined;
  #isClosed = false;

  /**
   * @param createMessage creates the message that a new process receives; the process does not reply
   *   to it
   */
  constructor(open: Open<Sent, Received>, createMessage: () => Sent) {
    this.#open = open;
    this.#createPreparation = createMessage;
  }

  /** Starts a spare process, unless there is one already. */
  start(): void {
    if (this.#isClosed || this.#spareEntry !== undefined) return;
    const startedEntry: SpareEntry<Sent, Received> = {
      channel: this.#open({
        onMessage: (message) => startedEntry.owner?.onMessage(message),
        onEnd: (reason) => {
          if (startedEntry.owner === undefined) this.#forget(startedEntry);
          else startedEntry.owner.onEnd(reason);
        },
      }),
      owner: undefined,
    };
    startedEntry.channel.send(this.#createPreparation());
    this.#spareEntry = startedEntry;
  }

  /**
   * Returns the spare process, or starts one now if there is none. Its messages go to the listener
   * from now on.
   */
  readonly take: Open<Sent, Received> = (listener) => {
    const takenEntry = this.#spareEntry;
    if (takenEntry === undefined) return this.#open(listener);
    this.#spareEntry = undefined;
    takenEntry.owner = listener;
    return takenEntry.channel;
  };

  /** Kills the spare process. */
  drop(): void {
    this.#spareEntry?.channel.kill();
    this.#spareEntry = undefined;
  }

  /** Kills the spare process and prevents further starts. */
  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  #forget(endedEntry: SpareEntry<Sent, Received>): void {
    if (this.#spareEntry === endedEntry) this.#spareEntry = undefined;
  }
}
