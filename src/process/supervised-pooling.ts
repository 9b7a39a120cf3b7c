import type {
  PoolingAnswer,
  PoolingDescription,
  PoolingEngine,
  PoolingRequest,
} from "../core/pooling.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import { RemotePooling, type RemotePoolingOptions } from "./remote-pooling.js";
import { type SupervisionListener, Supervisor } from "./supervisor.js";

export interface SupervisedPoolingOptions
  extends Omit<RemotePoolingOptions, "onLost" | "signal">,
    SupervisionListener {}

/** A pooling engine in a separate process, which is restarted when it exits. */
export class SupervisedPooling implements PoolingEngine {
  readonly #supervisor: Supervisor<RemotePooling>;

  private constructor(supervisor: Supervisor<RemotePooling>) {
    this.#supervisor = supervisor;
  }

  /**
   * Starts the process and loads the model.
   * @throws {StartupError} when the first start fails: the operator has to fix that
   */
  static async start(options: SupervisedPoolingOptions): Promise<SupervisedPooling> {
    const { onRestored, hooks } = options;
    return new SupervisedPooling(
      await Supervisor.start({
        launch: (onLost, signal) => RemotePooling.start({ ...options, onLost, signal }),
        onLost: options.onLost,
        onRestored,
        log: hooks.log,
      }),
    );
  }

  get description(): PoolingDescription {
    return this.#supervisor.latest.description;
  }

  async pool(request: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    const answer = await this.#supervisor.latest.pool(request);
    this.#supervisor.noteAnswer();
    return answer;
  }

  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#supervisor.latest.ask(question);
  }

  cancel(id: string): void {
    this.#supervisor.latest.cancel(id);
  }

  close(): Promise<void> {
    return this.#supervisor.close();
  }
}
