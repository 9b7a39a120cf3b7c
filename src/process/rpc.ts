import assert from "node:assert/strict";
import { GgufdError } from "../core/errors.js";
import {
  type ErrorRecord,
  fromErrorRecord,
  toErrorRecord,
  withError,
  withErrorRecord,
} from "./error-record.js";
import { type EventFrames, fromFrames, type ListenerEvent } from "./event-frames.js";

/** A method of another process is called. Supports structured cloning, like all messages. */
export interface CallMessage {
  readonly type: "call";
  /** Absent: nobody waits for an answer. */
  readonly callId?: number;
  /** Its last parameter is a listener, which stays with the caller. Absent: it has none. */
  readonly listenerId?: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What listeners are told. An error in an event is told as a record. */
export type EventsMessage = EventFrames & { readonly type: "events" };

/** What has become of a call. */
export type AnswerMessage =
  | { readonly type: "returned"; readonly callId: number; readonly result: unknown }
  | { readonly type: "threw"; readonly callId: number; readonly error: ErrorRecord };

/** Methods that another process can be told or asked: arguments and results are plain data. */
type Method = (...args: never[]) => unknown;

/** Names of the methods that are answered. */
export type CallName<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: never[]) => Promise<unknown>
    ? Name
    : never;
}[keyof Methods] &
  string;

/** Names of the methods whose last parameter is a listener. */
export type ListenName<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => void
    ? Args extends [...unknown[], (...told: never[]) => void]
      ? Name
      : never
    : never;
}[keyof Methods] &
  string;

/** Names of the methods that are neither answered nor have a listener. */
export type NoticeName<Methods> = Exclude<
  keyof Methods & string,
  CallName<Methods> | ListenName<Methods>
>;

type ArgsOf<Methods, Name extends keyof Methods> = Methods[Name] extends (
  ...args: infer Args
) => unknown
  ? Args
  : never;

type ResultOf<Methods, Name extends keyof Methods> = Methods[Name] extends (
  ...args: never[]
) => Promise<infer Result>
  ? Result
  : never;

interface PendingCall {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One side of calls between two processes: it calls, the other one answers with {@link answerCall}.
 * @typeParam Methods the interface that both sides know
 */
export class RemoteCalls<Methods> {
  readonly #send: (message: CallMessage) => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #answered = new Map<string, number>();
  readonly #listeners = new Map<number, (...args: never[]) => void>();
  #nextCallId = 0;
  #nextListenerId = 0;

  constructor(send: (message: CallMessage) => void) {
    this.#send = send;
  }

  /** @throws {GgufdError} what the method throws, or `model_unavailable` when the process is gone */
  call<Name extends CallName<Methods>>(
    method: Name,
    ...args: ArgsOf<Methods, Name>
  ): Promise<ResultOf<Methods, Name>> {
    return new Promise<unknown>((resolve, reject) => {
      const callId = this.#nextCallId++;
      this.#pending.set(callId, { method, resolve, reject });
      this.#send({ type: "call", callId, method, args });
    }) as Promise<ResultOf<Methods, Name>>;
  }

  /** Calls a method that is not answered. */
  notify<Name extends NoticeName<Methods>>(method: Name, ...args: ArgsOf<Methods, Name>): void {
    this.#send({ type: "call", method, args });
  }

  /**
   * Calls a method that tells its last argument, a listener, what happens.
   * @returns ends listening
   */
  listen<Name extends ListenName<Methods>>(
    method: Name,
    ...args: ArgsOf<Methods, Name>
  ): () => void {
    const listenerId = this.#nextListenerId++;
    const listener: unknown = args.at(-1);
    assert(typeof listener === "function", `${method} has no listener`);
    this.#listeners.set(listenerId, listener as (...told: never[]) => void);
    this.#send({ type: "call", listenerId, method, args: args.slice(0, -1) });
    return () => this.#listeners.delete(listenerId);
  }

  /** Tells listeners what they are to hear. Those that have ended listening hear nothing. */
  tell(message: EventsMessage): void {
    fromFrames(message, ([listenerId, ...args]) => {
      this.#listeners.get(listenerId)?.(...(args.map(withError) as never[]));
    });
  }

  /** Ends the call that is answered. */
  end(answer: AnswerMessage): void {
    const call = this.#pending.get(answer.callId);
    if (call === undefined) return;
    this.#pending.delete(answer.callId);
    this.#answered.set(call.method, (this.#answered.get(call.method) ?? 0) + 1);
    if (answer.type === "returned") call.resolve(answer.result);
    else call.reject(fromErrorRecord(answer.error));
  }

  /** Ends all calls with `model_unavailable`, and all listening: the process is gone. */
  fail(): void {
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    this.#listeners.clear();
    for (const { reject } of calls) reject(engineLost());
  }

  /** Calls of some methods that are not answered yet. */
  inFlight(methods: readonly CallName<Methods>[]): number {
    const asked: readonly string[] = methods;
    return [...this.#pending.values()].filter(({ method }) => asked.includes(method)).length;
  }

  /** How many have been answered, one way or another. */
  answered(methods: readonly CallName<Methods>[]): number {
    return methods.reduce((sum, method) => sum + (this.#answered.get(method) ?? 0), 0);
  }
}

/**
 * Calls a method for another process. Rejects only where nobody waits for an answer.
 * @param target throws if nothing is loaded
 * @param tell receives what the call's listener is told
 * @returns `undefined` where nobody waits for an answer
 */
export async function answerCall(
  { callId, listenerId, method, args }: CallMessage,
  target: () => object,
  tell: (event: ListenerEvent) => void,
): Promise<AnswerMessage | undefined> {
  const listener =
    listenerId === undefined
      ? []
      : [(...told: unknown[]) => tell([listenerId, ...told.map(withErrorRecord)])];
  const call = () => methodOf(target(), method)(...([...args, ...listener] as never[]));
  if (callId === undefined) {
    await call();
    return undefined;
  }
  try {
    return { type: "returned", callId, result: await call() };
  } catch (error) {
    return { type: "threw", callId, error: toErrorRecord(error) };
  }
}

function methodOf(target: object, name: string): Method {
  const method: unknown = (target as Readonly<Record<string, unknown>>)[name];
  assert(typeof method === "function", `there is no method ${name}`);
  return method.bind(target) as Method;
}

/** Value of `Retry-After` after the loss of the engine. */
const RETRY_AFTER_SECONDS = 2;

/** The error of all requests while no engine is running. */
export function engineLost(): GgufdError {
  return new GgufdError(
    "model_unavailable",
    "The model's process has exited; it is being restarted.",
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
