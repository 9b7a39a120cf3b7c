import type { GenerationRequest, PreparedGeneration } from "../core/generation-request.js";
import type { TextAnswer, TextQuestion } from "../core/text-question.js";
import type { Work } from "./hang-detector.js";
import { PendingCalls } from "./pending-calls.js";
import type { AskAnswer, AskCall, PrepareAnswer, PrepareCall } from "./protocol.js";

/** The calls that both kinds of processes answer, and their answers. */
export class RemoteCalls {
  readonly #prompts = new PendingCalls<PreparedGeneration>();
  readonly #questions = new PendingCalls<TextAnswer>();
  readonly #send: (call: PrepareCall | AskCall) => void;

  constructor(send: (call: PrepareCall | AskCall) => void) {
    this.#send = send;
  }

  /** What is asked, for a watchdog. */
  get work(): Work {
    return {
      unit: "call",
      inFlight: this.#prompts.inFlight + this.#questions.inFlight,
      advance: "answer",
      advances: this.#prompts.answers + this.#questions.answers,
    };
  }

  /** @throws {GgufdError} of the prompt, or `model_unavailable` when the process exits */
  prepare(request: GenerationRequest): Promise<PreparedGeneration> {
    return this.#prompts.begin((callId) => this.#send({ type: "prepare", callId, request }));
  }

  /** @throws {GgufdError} of the question, or `model_unavailable` when the process exits */
  ask(question: TextQuestion): Promise<TextAnswer> {
    return this.#questions.begin((callId) => this.#send({ type: "ask", callId, question }));
  }

  /** Ends the call that is answered. */
  end(answer: PrepareAnswer | AskAnswer): void {
    switch (answer.type) {
      case "prepared":
        this.#prompts.resolve(answer.callId, answer.prepared);
        break;
      case "not-prepared":
        this.#prompts.reject(answer.callId, answer.error);
        break;
      case "answered":
        this.#questions.resolve(answer.callId, answer.answer);
        break;
      case "not-answered":
        this.#questions.reject(answer.callId, answer.error);
        break;
    }
  }

  /** Ends all calls with `model_unavailable`: the process is gone. */
  fail(): void {
    this.#prompts.fail();
    this.#questions.fail();
  }
}
