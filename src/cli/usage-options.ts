import { type Command, Option } from "commander";
import { StartupError } from "../core/startup-error.js";
import { type UsageDimension, usageDimensions } from "../core/usage.js";
import type { BucketWidth } from "../core/usage-buckets.js";
import { preview } from "../validation/preview.js";
import type { DaemonChoice } from "./daemon/find-daemon.js";
import { loadDaemonSettings } from "./daemon-settings.js";
import { withDaemonOptions } from "./options.js";

/** Names of buckets on the command line. */
const bucketNames = { hour: "1h", day: "1d", month: "1mo" } as const satisfies Record<
  string,
  BucketWidth
>;

/** An interval that ends now. */
export interface Since {
  readonly count: number;
  readonly unit: BucketWidth;
}

export interface UsageArguments {
  readonly daemon: DaemonChoice;
  readonly since: Since;
  readonly by: readonly UsageDimension[];
  /** Length of a row's interval; absent: the sum of the whole interval, except in JSON and CSV. */
  readonly per: BucketWidth | undefined;
  readonly output: "text" | "json" | "csv";
}

const UNITS: Readonly<Record<string, BucketWidth>> = { h: "1h", d: "1d", mo: "1mo" };

export interface UsageActions {
  usage(options: UsageArguments): Promise<void>;
}

/** Adds `usage`, which prints stored usage. */
export function addUsageCommand(program: Command, { usage }: UsageActions): void {
  const command = program
    .command("usage")
    .description("print requests and tokens by API key and model")
    .addOption(
      new Option(
        "--since <TIME>",
        "interval that ends now: 24h, 7d or 12mo (default: 7d)",
      ).argParser(readSince),
    )
    .addOption(
      new Option(
        "--by <NAMES>",
        `groups, of ${usageDimensions.join(", ")} (default: key,model)`,
      ).argParser(readDimensions),
    )
    .addOption(
      new Option(
        "--per <BUCKET>",
        "a row for each hour, day or month (default: their sum)",
      ).choices(Object.keys(bucketNames)),
    )
    .addOption(new Option("--json", "print JSON").conflicts("csv"))
    .addOption(new Option("--csv", "print CSV"))
    .action(async ({ since, by, per, json = false, csv = false, ...flags }) =>
      usage({
        daemon: loadDaemonSettings(flags).daemon,
        since: since ?? { count: 7, unit: "1d" },
        by: by ?? ["key", "model"],
        per: per === undefined ? undefined : bucketNames[per as keyof typeof bucketNames],
        output: json ? "json" : csv ? "csv" : "text",
      }),
    );
  withDaemonOptions(command, "API key; with the scope admin, all keys are shown")
    .allowExcessArguments(false)
    .copyInheritedSettings(program);
}

function readSince(text: string): Since {
  const [, digits = "", suffix = ""] = /^([1-9]\d{0,3})(h|d|mo)$/.exec(text) ?? [];
  const unit = UNITS[suffix];
  if (unit !== undefined) return { count: Number(digits), unit };
  throw new StartupError(
    `--since: expected a number of hours, days or months such as 24h, 7d or 12mo, got ${preview(text)}`,
  );
}

function readDimensions(text: string): readonly UsageDimension[] {
  const names = text.split(",");
  const dimensions = usageDimensions.filter((dimension) => names.includes(dimension));
  if (dimensions.length === names.length) return dimensions;
  throw new StartupError(
    `--by: expected some of ${usageDimensions.join(", ")}, each once, got ${preview(text)}`,
  );
}
