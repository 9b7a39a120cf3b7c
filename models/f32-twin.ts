import { writeF32Twin } from "./gguf/f32-twin.js";
import { InputError } from "./input-error.js";
import { runScript } from "./run-script.js";

/** `tsx models/f32-twin.ts IN.gguf OUT.gguf`: see {@link writeF32Twin}. */
await runScript(async (args) => {
  const [inputPath, outputPath, ...rest] = args;
  if (inputPath === undefined || outputPath === undefined || rest.length > 0) {
    throw new InputError("usage: f32-twin IN.gguf OUT.gguf");
  }
  const bytes = writeF32Twin(inputPath, outputPath);
  process.stdout.write(`${outputPath}: ${bytes} bytes\n`);
});
