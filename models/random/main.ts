import { nonEmptyText } from "../../src/validation/fields.js";
import { integerFlag, keyFlag, readFlags } from "../command-line/flags.js";
import { InputError } from "../command-line/input-error.js";
import { runScript } from "../command-line/run-script.js";
import { tensorTypes } from "../gguf/tensor-types.js";
import type { WriteProgress } from "../gguf/writer.js";
import { generateRandomModel, type RandomModel, type RandomModelOptions } from "./generate.js";
import { generateRandomProjector } from "./projector.js";
import { type ProjectorName, projectorShapes } from "./projector-shapes.js";
import { type ShapeName, shapes } from "./shapes.js";

/** `tsx models/random/main.ts --shape NAME --out FILE`: writes a model or projector with random weights. */
await runScript(async (args) => {
  const { shape, type, seed, out, tokenizer } = readFlags(args, {
    shape: keyFlag({ ...shapes, ...projectorShapes }),
    type: keyFlag(tensorTypes).default("q8_0"),
    seed: integerFlag(0, Number.MAX_SAFE_INTEGER).default(1),
    out: nonEmptyText(),
    tokenizer: nonEmptyText().optional(),
  });
  const { path, parameters, sizeBytes } = generate({
    shape,
    type,
    seed,
    path: out,
    tokenizer,
    ...(process.stderr.isTTY && { onProgress: progressLine() }),
  });
  process.stdout.write(`${path}: ${parameters} parameters, ${sizeBytes} bytes\n`);
});

interface Options extends Omit<RandomModelOptions, "shape"> {
  readonly shape: ShapeName | ProjectorName;
}

/** @throws InputError naming the invalid option */
function generate({ shape, tokenizer, ...options }: Options): RandomModel {
  if (!isProjector(shape)) return generateRandomModel({ shape, tokenizer, ...options });
  if (tokenizer !== undefined) throw new InputError(`tokenizer: ${shape} has none`);
  return generateRandomProjector({ shape, ...options });
}

function isProjector(shape: ShapeName | ProjectorName): shape is ProjectorName {
  return shape in projectorShapes;
}

/** Updates a progress line on the terminal, and clears it at the end. */
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
