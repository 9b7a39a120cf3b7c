import type { EnteredMessage } from "./message-input.js";
import type { ChatMessage } from "./stream-answer.js";

/** Command typed in place of a message. */
export type ChatCommand =
  | { readonly type: "help" }
  | { readonly type: "clear" }
  | { readonly type: "exit" }
  /** Absent `text`: shows the system message. */
  | { readonly type: "system"; readonly text: string | undefined }
  | { readonly type: "unknown"; readonly name: string };

export const HELP = `  /clear        clear the conversation
  /system TEXT  set the system message; without TEXT, show it
  /exit         exit, like Ctrl-D
  """           begin or end a message of several lines
  \\             at the end of a line: continue the message on the next one
  Ctrl-C        stop the answer, or discard the typed text
`;

/** @returns `undefined` for a message to the model, which may begin with a file path */
export function parseCommand({ text, form }: EnteredMessage): ChatCommand | undefined {
  const [, name, rest = ""] = /^\/(\w+)(?:\s+(.*))?$/.exec(text) ?? [];
  if (form !== "line" || name === undefined) return undefined;
  switch (name) {
    case "help":
    case "clear":
    case "exit":
      return { type: name };
    case "system":
      return { type: "system", text: rest === "" ? undefined : rest };
    default:
      return { type: "unknown", name };
  }
}

/** Conversation history, which is sent to the daemon with each new message. */
export class Conversation {
  system: string | undefined;
  #messages: ChatMessage[] = [];

  constructor(system: string | undefined) {
    this.system = system;
  }

  /** Returns the conversation with a new message, which is not kept until it is answered. */
  with(message: string): readonly ChatMessage[] {
    return [
      ...(this.system === undefined ? [] : [{ role: "system", content: this.system } as const]),
      ...this.#messages,
      { role: "user", content: message },
    ];
  }

  /** Keeps a message and its answer, unless the answer was interrupted before its first text. */
  keep(message: string, answer: string): void {
    if (answer === "") return;
    this.#messages.push({ role: "user", content: message }, { role: "assistant", content: answer });
  }

  /** Removes all messages except the system message. */
  clear(): void {
    this.#messages = [];
  }
}
