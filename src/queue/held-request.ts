import type { Engine } from "../core/engine.js";
import type { GenerationRequest, PreparedRequest } from "../core/generation-request.js";
import type { EngineGate } from "./engine-gate.js";

/** A request that the engine holds, prepared: after its loss the next one prepares it again. */
export class HeldRequest {
  readonly request: GenerationRequest;
  readonly #engine: Engine;
  readonly #gate: EngineGate;
  #prepared: Promise<PreparedRequest> | undefined;
  /** Of the gate when it was prepared. */
  #losses = 0;

  constructor(request: GenerationRequest, engine: Engine, gate: EngineGate) {
    this.request = request;
    this.#engine = engine;
    this.#gate = gate;
  }

  /** Whether the present engine has been asked to prepare it. */
  get isHeld(): boolean {
    return this.#prepared !== undefined && this.#losses === this.#gate.losses;
  }

  /**
   * Has the present engine prepare it, once.
   * @throws {GgufdError} the errors of {@link Engine.prepare}, `model_unavailable` when the engine is lost
   */
  prepare(): Promise<PreparedRequest> {
    if (this.#prepared === undefined || !this.isHeld) {
      this.#losses = this.#gate.losses;
      this.#prepared = this.#engine.prepare(this.request);
    }
    return this.#prepared;
  }

  /** The engine need not hold it any more, nor go on preparing it. */
  release(): void {
    const release = () => this.#engine.release(this.request.id);
    if (this.#prepared === undefined) return;
    release();
    this.#prepared.then(release, () => undefined);
  }
}
