import { type Command, Option } from "commander";
import { StartupError } from "../../core/startup-error.js";
import { preview } from "../../validation/preview.js";
import { loadDaemonSettings } from "../daemon-settings.js";
import { withDaemonOptions } from "../options.js";
import type { ManageArguments } from "./manage-batches.js";
import type { BatchArguments } from "./run-batch.js";

export interface BatchActions {
  batch(options: BatchArguments): Promise<void>;
  manageBatches(options: ManageArguments): Promise<void>;
}

const KEY_HELP = "API key with the scope batches";

/** Adds `batch`, which answers the requests of a file, and its commands for batches. */
export function addBatchCommands(
  program: Command,
  { batch: run, manageBatches: manage }: BatchActions,
): void {
  const batch = program
    .command("batch")
    .description("answer the requests of a JSONL file, or manage batches")
    .argument("<FILE>", "requests, as for OpenAI's Batch API; - is standard input")
    .addOption(
      nonEmptyOption(
        "-o, --output <FILE>",
        "file of the results, or - (default: FILE with .out.jsonl)",
      ),
    )
    .addOption(nonEmptyOption("--model <MODEL>", "model of all requests, also a GGUF file"))
    .addOption(new Option("--new", "ignore earlier batches of the same file and output"))
    .action(async (file: string, { output, model, new: isNew = false, ...flags }) =>
      run({
        file,
        output,
        model,
        earlierBatch: isNew ? "ignore" : "continue",
        ...loadDaemonSettings(flags),
      }),
    );
  const runOptions = [...batch.options];
  withDaemonOptions(batch, `${KEY_HELP} and inference`)
    .allowExcessArguments(false)
    .copyInheritedSettings(program)
    .addHelpText(
      "after",
      "\nExit codes: 0 all requests are done, 1 some have failed, 2 the input is wrong.\n" +
        "Ctrl-C leaves the batch in the daemon; the same command continues it.",
    )
    .hook("preSubcommand", (_, command) => {
      const misplaced = runOptions.find((option) => batch.getOptionValue(option.attributeName()));
      if (misplaced === undefined) return;
      throw new StartupError(`${misplaced.long}: expected without ${preview(command.name())}`);
    });

  // Options are parsed by the first command that has them, so that these have the values.
  const readSettings = (isJson: boolean): Pick<ManageArguments, "daemon" | "output"> => ({
    daemon: loadDaemonSettings(batch.opts()).daemon,
    output: isJson ? "json" : "text",
  });
  const command = (name: string, description: string) =>
    withDaemonOptions(batch.command(name).description(description), KEY_HELP)
      .addOption(new Option("--json", "print JSON"))
      .allowExcessArguments(false)
      .copyInheritedSettings(program);

  command("list", "list the batches of the API key").action(async ({ json = false }) =>
    manage({ action: "list", ...readSettings(json) }),
  );
  for (const [action, description] of [
    ["show", "show a batch, with the errors of its input"],
    ["cancel", "cancel a batch; its results so far stay available"],
  ] as const) {
    command(action, description)
      .argument("<ID>", "id of the batch")
      .action(async (id: string, { json = false }) =>
        manage({ action, id, ...readSettings(json) }),
      );
  }
}

/**
 * Creates an option that takes text.
 * @throws {StartupError} on parsing an empty text
 */
function nonEmptyOption(flags: string, help: string): Option {
  return new Option(flags, help).argParser((text) => {
    if (text !== "") return text;
    const name = /--\S+/.exec(flags)?.[0];
    throw new StartupError(`${name}: expected a non-empty string, got ${preview(text)}`);
  });
}
