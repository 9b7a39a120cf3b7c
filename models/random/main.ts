import { parseArgs } from "node:util";
import { parseTensorType, tensorTypes } from "../gguf/tensor-types.js";
import type { WriteProgress } from "../gguf/writer.js";
import { InputError } from "../input-error.js";
import { runScript } from "../run-script.js";
import { generateRandomModel } from "./generate.js";
import { parseShapeName, shapes } from "./shapes.js";

const usageText =
  `random --shape ${Object.keys(shapes).join("|")} --out PATH ` +
  `[--type ${Object.keys(tensorTypes).join("|")}] [--seed N] [--tokenizer NAME]`;

await runScript(async (args) => {
  const { shape, type, seed, out, tokenizer } = parseFlags(args);
  if (shape === undefined || out === undefined) throw new InputError(`usage: ${usageText}`);
  const { path, parameters, bytes } = generateRandomModel({
    shape: parseShapeName(shape),
    type: parseTensorType(type),
    seed: parseSeed(seed),
    path: out,
    tokenizer,
    ...(process.stderr.isTTY && { onProgress: progressLine() }),
  });
  process.stdout.write(`${path}: ${parameters} parameters, ${bytes} bytes\n`);
});

function parseFlags(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        shape: { type: "string" },
        type: { type: "string", default: "q8_0" },
        seed: { type: "string", default: "1" },
        out: { type: "string" },
        tokenizer: { type: "string" },
      },
    });
    return values;
  } catch (error) {
    throw new InputError(firstLine(error));
  }
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/\n.*/s, "");
}

function parseSeed(value: string): number {
  if (!/^\d+$/.test(value)) throw new InputError(`seed: expected an integer, got ${value}`);
  return Number(value);
}

/** Keeps one line of a terminal up to date, and clears it at the end. */
function progressLine(): (progress: WriteProgress) => void {
  let shownPercent = -1;
  return ({ writtenBytes, totalBytes }) => {
    const percent = Math.floor((100 * writtenBytes) / totalBytes);
    if (percent === shownPercent) return;
    shownPercent = percent;
    const megabytes = Math.round(totalBytes / 1e6);
    process.stderr.write(percent < 100 ? `\r${percent} % of ${megabytes} MB` : "\r\x1b[K");
  };
}
