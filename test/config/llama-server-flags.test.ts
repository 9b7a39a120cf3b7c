import { describe, expect, test } from "vitest";
import { fromLlamaServer } from "../../src/config/llama-server-flags.js";

const translated = (text: string) => fromLlamaServer(text.split(" ")).join(" ");

describe("flags of llama-server", () => {
  test.each([
    ["-m a.gguf", "--model a.gguf"],
    ["-m a.gguf -ngl 99 -t 4", "--model a.gguf --gpu-layers 99 --threads 4"],
    ["--n-gpu-layers=7", "--gpu-layers 7"],
    ["-ngl all", "--gpu-layers 9999"],
    ["-ngl -1 -t -1 -tb 8", "--gpu-layers auto --threads auto --threads-batch 8"],
    ["-md d.gguf -a name -s 5", "--draft d.gguf --alias name --seed 5"],
    ["-s -1", ""],
    ["--seed -1 --threads -1", "--threads auto"],
    ["-hf a/b:Q8_0", "--model hf:a/b:Q8_0"],
    ["--temp 0.7 -n 100", "--temperature 0.7 --max-tokens 100"],
    ["--predict -1 --typical 0.9", "--typical-p 0.9"],
    ["-ctk q8_0 -ctv q4_0", "--cache-type-k q8_0 --cache-type-v q4_0"],
    ["--cache-type-k q8_0 --chat-template chatml", "--cache-type-k q8_0 --chat-template chatml"],
    ["--lora-scaled a.gguf:0.5 -mm p.gguf", "--lora a.gguf:0.5 --mmproj p.gguf"],
    ["--lora a.gguf --lora-init-without-apply", "--lora a.gguf --lora-init-without-apply"],
    ["--sleep-idle-seconds 300", "--model-ttl 300"],
    ["-cmoe", "--cpu-moe all"],
    ["-bs -m a.gguf", "--device-sampling on --model a.gguf"],
    ["--backend-sampling", "--device-sampling on"],
    ["-kvu --port 1", "--kv-cache-layout unified --port 1"],
    ["--ssl-cert-file c.pem --ssl-key-file=k.pem", "--tls-cert c.pem --tls-key k.pem"],
    ["--host /run/ggufd.sock", "--host unix:/run/ggufd.sock"],
    ["--host=ggufd.sock --port 1", "--host unix:ggufd.sock --port 1"],
    ["--host unix:/run/ggufd.sock", "--host unix:/run/ggufd.sock"],
    ["--host 127.0.0.1,unix:/a.sock --host ::1", "--host 127.0.0.1,unix:/a.sock --host ::1"],
    ["--jinja -cb --metrics --no-webui --port 1", "--port 1"],
  ])("%s: %s", (theirs, ours) => {
    expect(translated(theirs)).toBe(ours);
  });

  test.each([
    ["-c 8192", "--context-size 8192"],
    ["--ctx-size 8192 -np 4", "--parallel 4 --context-size 2048"],
    ["--ctx-size=8192 --parallel=3", "--parallel 3 --context-size 2730"],
    ["--parallel 2 -c 8192", "--parallel 2 --context-size 4096"],
    ["-c 0 -np 4", "--parallel 4"],
    ["-c 8192 -np -1", "--context-size 8192"],
    ["-c x -np 4", "--parallel 4 --context-size x"],
    ["-c", "--context-size"],
  ])("a context is for all slots: %s: %s", (theirs, ours) => {
    expect(translated(theirs)).toBe(ours);
  });

  test("are not looked for after --, nor are ggufd's own changed", () => {
    expect(translated("plan --context-size 4096 --parallel 2 -- -m")).toBe(
      "plan --context-size 4096 --parallel 2 -- -m",
    );
  });

  test.each([
    ["-hff a.gguf", "-hff: a flag of llama-server; here, --model hf:USER/REPOSITORY/FILE names a"],
    ["-l 5+1", "-l: a flag of llama-server; here, it is a field of requests"],
    ["--reranking", "--reranking: a flag of llama-server; here, ggufd reads it from the model's"],
  ])("without a counterpart are refused, naming the alternative: %s", (theirs, message) => {
    expect(() => translated(theirs)).toThrow(message);
  });
});
