import type { Engine } from "../core/engine.js";
import type { GenerationRequest, PreparedRequest } from "../core/generation-request.js";
import type { EngineGate } from "./engine-gate.js";

/**
 * A request that the engine prepares and holds. When the engine exits, the next engine prepares the
 * request again.
 */
export class HeldRequest {
  readonly request: GenerationRequest;
  readonly #engine: Engine;
  readonly #gate: EngineGate;
  #prepared: Promise<PreparedRequest> | undefined;
  /** Value of {@link EngineGate.crashes} when the request was prepared. */
  #crashes = 0;

  constructor(request: GenerationRequest, engine: Engine, gate: EngineGate) {
    this.request = request;
    this.#engine = engine;
    this.#gate = gate;
  }

  /**
   * Whether the engine was asked to prepare the request, and no engine process has exited since. An
   * engine with replicas may still hold it, and then does not prepare it again.
   */
  get isHeld(): boolean {
    return this.#prepared !== undefined && this.#crashes === this.#gate.crashes;
  }

  /**
   * Prepares the request in the current engine, unless it {@link isHeld}.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, and `model_unavailable` when the
   *   engine exits
   */
  prepare(): Promise<PreparedRequest> {
    if (this.#prepared === undefined || !this.isHeld) {
      this.#crashes = this.#gate.crashes;
      this.#prepared = this.#engine.prepare(this.request);
    }
    return this.#prepared;
  }

  /** Makes the engine drop the request and stop preparing it. */
  release(): void {
    const release = () => this.#engine.release(this.request.id);
    if (this.#prepared === undefined) return;
    release();
    this.#prepared.then(release, () => undefined);
  }
}
