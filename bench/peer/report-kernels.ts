/** Prints the file of the CPU kernels that node-llama-cpp loads on this machine (Linux). */
import { readFileSync } from "node:fs";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";

await getLlama({
  gpu: false,
  build: "never",
  skipDownload: true,
  logLevel: LlamaLogLevel.disabled,
});
const [kernels] = /\/.*libggml-cpu.*\.so.*/.exec(readFileSync("/proc/self/maps", "utf8")) ?? [];
if (kernels === undefined) process.exitCode = 1;
else console.log(kernels);
