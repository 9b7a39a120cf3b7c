import { InputError } from "../command-line/input-error.js";
import { runScript } from "../command-line/run-script.js";
import { writeF32Twin } from "./f32-twin.js";

/** `tsx models/gguf/main.ts IN.gguf OUT.gguf`: see {@link writeF32Twin}. */
await runScript(async (args) => {
  const [inputPath, outputPath, ...extraArgs] = args;
  if (inputPath === undefined || outputPath === undefined || extraArgs.length > 0) {
    throw new InputError("usage: f32-twin IN.gguf OUT.gguf");
  }
  const sizeBytes = writeF32Twin(inputPath, outputPath);
  process.stdout.write(`${outputPath}: ${sizeBytes} bytes\n`);
});
