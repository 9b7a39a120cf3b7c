import assert from "node:assert/strict";
import { createEngineExitedError } from "../core/errors.js";
import {
  type ErrorRecord,
  fromErrorRecord,
  toErrorRecord,
  withError,
  withErrorRecord,
} from "./error-record.js";
import { type EventFrames, fromFrames, type ListenerEvent } from "./event-frames.js";

/** A call of a method in another process. All messages support structured cloning. */
export interface CallMessage {
  readonly type: "call";
  /** Absent: the caller expects no answer. */
  readonly callId?: number;
  /**
   * Id of the listener that the method takes as its last parameter; the listener itself stays in
   * the calling process. Absent: no listener.
   */
  readonly listenerId?: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Calls of listeners. Errors in events are sent as records. */
export type EventsMessage = EventFrames & { readonly type: "events" };

/** The result of a call. */
export type AnswerMessage =
  | { readonly type: "returned"; readonly callId: number; readonly result: unknown }
  | { readonly type: "threw"; readonly callId: number; readonly error: ErrorRecord };

/** A method that another process can call; its arguments and result are plain data. */
type Method = (...args: never[]) => unknown;

/** Names of the methods that return an answer. */
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

/** Names of the methods that neither return an answer nor take a listener. */
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
 * Calling side of remote procedure calls between two processes; the called process
 * answers with {@link answerCall}.
 * @typeParam Methods interface that both sides share
 */
export class RemoteCalls<Methods> {
  readonly #send: (message: CallMessage) => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #answerCounts = new Map<string, number>();
  readonly #listeners = new Map<number, (...args: never[]) => void>();
  #nextCallId = 0;
  #nextListenerId = 0;

  constructor(send: (message: CallMessage) => void) {
    this.#send = send;
  }

  /**
   * Calls a method and resolves with its result.
   * @throws {GgufdError} the method's error, or `model_unavailable` when the process exits
   */
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

  /** Calls a method that returns no answer. */
  notify<Name extends NoticeName<Methods>>(method: Name, ...args: ArgsOf<Methods, Name>): void {
    this.#send({ type: "call", method, args });
  }

  /**
   * Calls a method that reports events to its last argument, a listener.
   * @returns unsubscribes the listener
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

  /** Dispatches events to their listeners. Events of unsubscribed listeners are dropped. */
  dispatch(message: EventsMessage): void {
    fromFrames(message, ([listenerId, ...args]) => {
      this.#listeners.get(listenerId)?.(...(args.map(withError) as never[]));
    });
  }

  /** Settles the call that a message answers. */
  settle(answer: AnswerMessage): void {
    const call = this.#pending.get(answer.callId);
    if (call === undefined) return;
    this.#pending.delete(answer.callId);
    this.#answerCounts.set(call.method, (this.#answerCounts.get(call.method) ?? 0) + 1);
    if (answer.type === "returned") call.resolve(answer.result);
    else call.reject(fromErrorRecord(answer.error));
  }

  /**
   * Fails all calls with `model_unavailable` and unsubscribes all listeners, because the process
   * has exited.
   */
  failAll(): void {
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    this.#listeners.clear();
    for (const { reject } of calls) reject(createEngineExitedError());
  }

  /** Number of unanswered calls of the given methods. */
  countInFlight(methods: readonly CallName<Methods>[]): number {
    const watchedNames: readonly string[] = methods;
    return [...this.#pending.values()].filter(({ method }) => watchedNames.includes(method)).length;
  }

  /** Number of answered calls of the given methods, successful or not. */
  countAnswered(methods: readonly CallName<Methods>[]): number {
    return methods.reduce((sum, method) => sum + (this.#answerCounts.get(method) ?? 0), 0);
  }
}

/**
 * Executes a call from another process. Rejects only if the caller expects no answer.
 * @param target returns the object with the method; throws if nothing is loaded
 * @param onEvent receives the events for the call's listener
 * @returns `undefined` if the caller expects no answer
 */
export async function answerCall(
  { callId, listenerId, method, args }: CallMessage,
  target: () => object,
  onEvent: (event: ListenerEvent) => void,
): Promise<AnswerMessage | undefined> {
  const listener =
    listenerId === undefined
      ? []
      : [(...told: unknown[]) => onEvent([listenerId, ...told.map(withErrorRecord)])];
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
