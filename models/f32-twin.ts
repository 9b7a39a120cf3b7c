import { writeF32Twin } from "./gguf/f32-twin.js";
import { runCommand } from "./run-command.js";

/** `tsx models/f32-twin.ts IN.gguf OUT.gguf`: see {@link writeF32Twin}. */
runCommand("f32-twin IN.gguf OUT.gguf", (args, usage) => {
  const [inputPath, outputPath, ...rest] = args;
  if (inputPath === undefined || outputPath === undefined || rest.length > 0) throw usage();
  const bytes = writeF32Twin(inputPath, outputPath);
  process.stdout.write(`${outputPath}: ${bytes} bytes\n`);
});
