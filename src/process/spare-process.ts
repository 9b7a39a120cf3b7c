import type { Channel, ChannelListener } from "./process-channel.js";

/** Starts a process. */
type Open<Sent, Received> = (listener: ChannelListener<Received>) => Channel<Sent>;

/** A spare process, which has no owner until it is taken. */
interface Waiting<Sent, Received> {
  readonly channel: Channel<Sent>;
  owner: ChannelListener<Received> | undefined;
}

/**
 * Keeps at most one process started in advance, so that its future owner does not wait for the
 * start. The spare process only does preparatory work that speeds up any task.
 */
export class SpareProcess<Sent, Received> {
  readonly #open: Open<Sent, Received>;
  readonly #preparation: () => Sent;
  #waiting: Waiting<Sent, Received> | undefined;
  #isClosed = false;

  /**
   * @param preparation creates the message that a new process receives; the process does not reply
   *   to it
   */
  constructor(open: Open<Sent, Received>, preparation: () => Sent) {
    this.#open = open;
    this.#preparation = preparation;
  }

  /** Starts a spare process, unless there is one already. */
  start(): void {
    if (this.#isClosed || this.#waiting !== undefined) return;
    const waiting: Waiting<Sent, Received> = {
      channel: this.#open({
        onMessage: (message) => waiting.owner?.onMessage(message),
        onEnd: (reason) => {
          if (waiting.owner === undefined) this.#forget(waiting);
          else waiting.owner.onEnd(reason);
        },
      }),
      owner: undefined,
    };
    waiting.channel.send(this.#preparation());
    this.#waiting = waiting;
  }

  /**
   * Returns the spare process, or starts one now if there is none. Its messages go to the listener
   * from now on.
   */
  readonly take: Open<Sent, Received> = (listener) => {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#open(listener);
    this.#waiting = undefined;
    waiting.owner = listener;
    return waiting.channel;
  };

  /** Kills the spare process. */
  drop(): void {
    this.#waiting?.channel.kill();
    this.#waiting = undefined;
  }

  /** Kills the spare process and prevents further starts. */
  close(): void {
    this.#isClosed = true;
    this.drop();
  }

  #forget(waiting: Waiting<Sent, Received>): void {
    if (this.#waiting === waiting) this.#waiting = undefined;
  }
}
