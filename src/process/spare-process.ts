import type { Channel, ChannelListener } from "./process-channel.js";

/** Starts a process. */
type Open<Sent, Received> = (listener: ChannelListener<Received>) => Channel<Sent>;

/** A process that nobody listens to yet. */
interface Waiting<Sent, Received> {
  readonly channel: Channel<Sent>;
  owner: ChannelListener<Received> | undefined;
}

/**
 * A process that is started before it is known what it is to do, so that who needs one does not wait for its start. At most
 * one waits; it has done nothing but what makes any task of it quicker.
 */
export class SpareProcess<Sent, Received> {
  readonly #open: Open<Sent, Received>;
  readonly #preparation: () => Sent;
  #waiting: Waiting<Sent, Received> | undefined;
  #isClosed = false;

  /** @param preparation what it is told when it is started: it reports nothing of that */
  constructor(open: Open<Sent, Received>, preparation: () => Sent) {
    this.#open = open;
    this.#preparation = preparation;
  }

  /** Starts one, unless one waits. */
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

  /** The one that waits, or another one, which is started now. From now on it is the listener's. */
  readonly take: Open<Sent, Received> = (listener) => {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#open(listener);
    this.#waiting = undefined;
    waiting.owner = listener;
    return waiting.channel;
  };

  /** Ends the one that waits. None is started any more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting?.channel.kill();
    this.#waiting = undefined;
  }

  #forget(waiting: Waiting<Sent, Received>): void {
    if (this.#waiting === waiting) this.#waiting = undefined;
  }
}
