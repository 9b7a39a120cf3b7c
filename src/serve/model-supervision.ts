import type { SupervisionListener } from "../process/supervisor.js";
import type { RegisteredModel } from "../registry/registered-model.js";

/** A queue that goes on when the engine behind it has been replaced. */
export interface InterruptibleQueue<Description> {
  suspend(): void;
  resume(description: Description): void;
}

/** Tells a model's readiness, and its queue, when the model's process is lost and when there is a new one. */
export class ModelSupervision implements SupervisionListener {
  readonly #registered: RegisteredModel;
  #isLost = false;
  #suspendQueue = () => {};
  #resumeQueue = () => {};

  constructor(registered: RegisteredModel) {
    this.#registered = registered;
  }

  /** @param describe the present engine */
  follow<Description>(describe: () => Description, queue: InterruptibleQueue<Description>): void {
    this.#suspendQueue = () => queue.suspend();
    this.#resumeQueue = () => queue.resume(describe());
    // The process may have been lost before there was a queue.
    if (this.#isLost) queue.suspend();
  }

  readonly onLost = (): void => {
    this.#isLost = true;
    this.#suspendQueue();
    this.#registered.suspend();
  };

  readonly onRestored = (): void => {
    this.#isLost = false;
    this.#registered.resume();
    this.#resumeQueue();
  };
}
