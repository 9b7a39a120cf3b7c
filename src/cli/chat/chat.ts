import { formatReason } from "../../core/format-reason.js";
import { type DaemonClient, DaemonError } from "../daemon/daemon-client.js";
import { showLoading } from "../daemon/loading-display.js";
import { type AnswerOutput, AnswerPrinter } from "./answer-printer.js";
import { type ChatCommand, type Conversation, HELP, parseCommand } from "./conversation.js";
import { type AnswerOptions, streamAnswer } from "./stream-answer.js";
import { TypedMessages, type TypingTerminal } from "./typed-messages.js";

export interface ChatOptions {
  readonly daemon: DaemonClient;
  readonly options: AnswerOptions;
  readonly conversation: Conversation;
  readonly terminal: {
    readonly stdin: TypingTerminal["input"];
    readonly stdout: TypingTerminal["output"] & AnswerOutput;
    readonly stderr: AnswerOutput;
  };
}

/**
 * Answers typed messages until the user ends the conversation. Errors of the daemon are shown, and
 * the conversation continues.
 */
export async function chat({
  daemon,
  options,
  conversation,
  terminal,
}: ChatOptions): Promise<void> {
  const { stdin, stdout, stderr } = terminal;
  const typedMessages = new TypedMessages({ input: stdin, output: stdout });
  stdout.write("Type /help for the commands.\n");
  const answer = async (message: string) => {
    const interrupt = new AbortController();
    typedMessages.onInterrupt = () => interrupt.abort();
    const printer = new AnswerPrinter(stdout);
    const stopShowing = showLoading(daemon, { terminal: stderr });
    try {
      const { text, finishReason } = await streamAnswer(
        daemon,
        conversation.with(message),
        options,
        {
          signal: interrupt.signal,
          onPiece(piece) {
            stopShowing();
            printer.add(piece);
          },
        },
      );
      printer.end();
      conversation.keep(message, text);
      if (finishReason === "length") stdout.write("(The limit of tokens ended the answer.)\n");
    } finally {
      stopShowing();
      printer.end();
      typedMessages.onInterrupt = () => undefined;
    }
  };
  try {
    for (;;) {
      const message = await typedMessages.next();
      if (message === undefined) return;
      if (message.text === "") continue;
      const command = parseCommand(message);
      if (command?.type === "exit") return;
      if (command === undefined) await answer(message.text).catch(reportFailure(stderr));
      else stdout.write(executeCommand(command, conversation));
    }
  } finally {
    typedMessages.close();
  }
}

/**
 * Executes a command.
 * @returns the text to show
 */
function executeCommand(
  command: Exclude<ChatCommand, { type: "exit" }>,
  conversation: Conversation,
): string {
  switch (command.type) {
    case "help":
      return HELP;
    case "clear":
      conversation.clear();
      return "Conversation cleared.\n";
    case "system":
      if (command.text === undefined) return `${conversation.system ?? "No system message."}\n`;
      conversation.system = command.text;
      return "";
    case "unknown":
      return `/${command.name}: unknown command; type /help for the commands\n`;
  }
}

function reportFailure(stderr: AnswerOutput): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof DaemonError)) throw error;
    stderr.write(`ggufd: ${formatReason(error)}\n`);
  };
}
