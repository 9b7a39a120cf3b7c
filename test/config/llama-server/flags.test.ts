import { describe, expect, test } from "vitest";
import { fromLlamaServer } from "../../../src/config/llama-server/flags.js";

const SERVED = { GGUFD_ACCEPT_ANY_MODEL: "false" };

const translated = (text: string) => fromLlamaServer(text.split(" "), SERVED).args.join(" ");

describe("translating llama-server's flags", () => {
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
    ["--backend_sampling --n_gpu_layers=7", "--device-sampling on --gpu-layers 7"],
    [
      "--chat_template chatml --override-kv a_b=int:1",
      "--chat-template chatml --override-kv a_b=int:1",
    ],
    ["-kvu --port 1", "--kv-cache-layout unified --port 1"],
    ["--ssl-cert-file c.pem --ssl-key-file=k.pem", "--tls-cert c.pem --tls-key k.pem"],
    ["--host /run/ggufd.sock", "--host unix:/run/ggufd.sock"],
    ["--host=ggufd.sock --port 1", "--host unix:ggufd.sock --port 1"],
    ["--host unix:/run/ggufd.sock", "--host unix:/run/ggufd.sock"],
    ["--host 127.0.0.1,unix:/a.sock --host ::1", "--host 127.0.0.1,unix:/a.sock --host ::1"],
    ["--jinja -cb --metrics --port 1", "--port 1"],
    ["--no-webui --no-ui", "--no-page --no-page"],
    ["-hf a/b:Q8_0 -hff c.gguf", "--model hf:a/b/c.gguf"],
    ["--hf-file c.gguf --hf-repo a/b", "--model hf:a/b/c.gguf"],
    ["-hft secret -m a.gguf", "--model a.gguf"],
    ["--alias a,b -m c.gguf", "--alias a,b --model c.gguf"],
    [
      "--cors-origins https://a.example,https://b.example",
      "--cors-origin https://a.example --cors-origin https://b.example",
    ],
    ["--no-mmproj --mmproj-auto", "--mmproj none --mmproj auto"],
    ["-dev none --device CUDA0", "--gpu off --device CUDA0"],
    ["-lv 2 --log-disable", "--log-level warn --log-level silent"],
    ["--spec-type none", "--speculation off"],
    ["--spec-type draft-mtp,ngram-mod --spec-draft-n-max 8", ""],
    ["--timeout 600 -cram -1", "--write-timeout 600 --cache-ram 1048576"],
    ["--cpu-moe --port 1", "--cpu-moe all --port 1"],
    ["--cpu-moe 3 --draft d.gguf", "--cpu-moe 3 --draft d.gguf"],
    ["--help --version", "--help --version"],
    ["--pooling rank --pooling mean", "--embedding-pooling mean"],
    ["--pooling none", "--embedding-pooling none"],
    ["--embedding --reranking", "--embeddings"],
    ["--mlock --load-mode mmap", "--mlock --load-mode mmap"],
    ["--no-mmap --check-tensors", "--load-mode none --check-tensors"],
    ["--mmap -lm dio", "--load-mode mmap --load-mode dio"],
    ["-dio -ndio", "--load-mode dio"],
    ["-kvo -nkvo --kv-offload", "--no-kv-offload"],
    ["--op-offload --no-op-offload", "--no-op-offload"],
    ["-b 512 -ub 128", "--batch-size 512 --ubatch-size 128"],
    ["--ubatch-size 0", ""],
    ["--models-max=3", "--models-max 3"],
    ["--api-prefix /llm", "--api-prefix /llm"],
    ["--log-file a.log", "--log-file a.log"],
    ["--numa isolate", "--numa isolate"],
    ["--numa=", "--numa distribute"],
    ["--embd-normalize -1", "--embd-normalize -1"],
    ["--media-path /media", "--media-path /media"],
    ["-hfd user/draft:Q8_0", "--draft hf:user/draft:Q8_0"],
    [
      '--chat-template-kwargs {"a":1} --reasoning-budget 64',
      '--chat-template-kwargs {"a":1} --reasoning-budget 64',
    ],
    ["--reasoning off", "--reasoning-budget 0"],
    ["-j {} --grammar-file a.gbnf", "--json-schema {} --grammar-file a.gbnf"],
    ["--reasoning-effort high", "--reasoning-effort high"],
    ["-rea on", '--chat-template-kwargs {"enable_thinking":true}'],
    ["--reasoning auto", ""],
    ["-lm mmap+mlock -fa on", "--mlock --flash-attn on"],
    ["-fa 0 --flash-attn=auto -fa -1", "--flash-attn off --flash-attn auto --flash-attn auto"],
  ])("%s becomes %s", (theirs, ours) => {
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
  ])("divides the context size by the number of slots: %s becomes %s", (theirs, ours) => {
    expect(translated(theirs)).toBe(ours);
  });

  test("ignores arguments after --, and leaves ggufd's own flags unchanged", () => {
    expect(translated("plan --context-size 4096 --parallel 2 -- -m")).toBe(
      "plan --context-size 4096 --parallel 2 -- -m",
    );
  });

  test.each([
    ["-hff a.gguf", "-hff: requires --hf-repo"],
    ["-l 5+1", "-l: a flag of llama-server; here, it is the field logit_bias of requests"],
    [
      "--context-shift",
      "--context-shift: a flag of llama-server; here, a conversation that is too",
    ],
    ["--draft-max 16", "--draft-max: a flag of llama-server; here, llama.cpp has removed it"],
  ])("rejects flags without a counterpart and names the alternative: %s", (theirs, message) => {
    expect(() => translated(theirs)).toThrow(message);
  });

  test("reports flags without effect, with the reason", () => {
    expect(fromLlamaServer(["--jinja", "--no-warmup", "--cache-reuse=3"]).notices).toEqual([
      "--jinja: a flag of llama-server without effect; here, chat templates are always rendered with Jinja",
      "--no-warmup: a flag of llama-server without effect; here, there is no separate warm-up run",
      "--cache-reuse: a flag of llama-server without effect; here, the common beginning of prompts is reused, later chunks are not",
    ]);
  });

  test("accepts any model name in requests with -m, and reports it", () => {
    const { args, notices } = fromLlamaServer(["-m", "a.gguf", "-c", "512", "--", "x"]);
    expect(args.join(" ")).toBe("--model a.gguf --context-size 512 --accept-any-model -- x");
    expect(notices).toEqual([
      "-m: as in llama-server, requests for any model are answered by this one; GGUFD_ACCEPT_ANY_MODEL=false refuses unknown names",
    ]);
  });

  test.each([
    ["--model a.gguf --parallel 2", {}],
    ["-m a.gguf --models-preset a.ini", {}],
    ["launch claude --model a -c 512", {}],
    ["-m a.gguf", { GGUFD_ACCEPT_ANY_MODEL: "false" }],
  ])("adds no --accept-any-model without -m, or if it is configured: %s", (text, environment) => {
    const { args, notices } = fromLlamaServer(text.split(" "), environment);
    expect(args).not.toContain("--accept-any-model");
    expect(notices).toEqual([]);
  });

  test("supports a flag in place of an environment variable", () => {
    expect(fromLlamaServer(["--hf-token", "secret"])).toEqual({
      args: [],
      notices: [],
      variables: { HF_TOKEN: "secret" },
    });
  });
});
