import type { ModelKind } from "../../core/model-directory.js";
import {
  accepted,
  cases,
  choice,
  flag,
  type LlamaServerOption,
  type PlainEffect,
  refused,
  type SettingEffect,
  setting,
  toggle,
  value,
} from "./option.js";

const REPOSITORY: SettingEffect = { kind: "setting", flag: "--model", prefix: "hf:" };

const modelPurpose = (modelKind: ModelKind, flag?: string): PlainEffect => ({
  kind: "model-kind",
  modelKind,
  reason: "the model's file states its purpose",
  ...(flag !== undefined && { flag }),
});

/** Option that stands for a model of Hugging Face and a port. */
function shorthand(name: string, model: string, port: number): LlamaServerOption {
  return flag(name, refused(`--model hf:${model} --port ${port} serves this model`));
}

const file = (repository: string, name: string) => `ggml-org/${repository}-GGUF/${name}.gguf`;
const coder = (size: string) =>
  file(`Qwen2.5-Coder-${size}-Q8_0`, `qwen2.5-coder-${size.toLowerCase()}-q8_0`);
const withDraft = (name: string, size: string) =>
  flag(
    name,
    refused(
      `--model hf:${coder(size)} --draft FILE --port 8012 serves this model; ggufd pull hf:${coder("0.5B")} gets the draft`,
    ),
  );

/** Options for models: their sources, names, adapters and projectors. */
export const modelOptions: readonly LlamaServerOption[] = [
  value("-m --model", setting("--model"), "LLAMA_ARG_MODEL"),
  value("-mu --model-url", setting("--model"), "LLAMA_ARG_MODEL_URL"),
  value(
    "-dr --docker-repo",
    refused("models of Docker Hub are not pulled; --model takes a file, hf:, ollama: or a URL"),
    "LLAMA_ARG_DOCKER_REPO",
  ),
  value("-hf -hfr --hf-repo", REPOSITORY, "LLAMA_ARG_HF_REPO"),
  value("-hff --hf-file", { kind: "repository-file" }, "LLAMA_ARG_HF_FILE"),
  value("-hft --hf-token", { kind: "variable", name: "HF_TOKEN" }, "HF_TOKEN"),
  value(
    "-a --alias",
    {
      ...setting("--alias"),
      note: "the first of several names is the `id` in lists, the others are `aliases`",
    },
    "LLAMA_ARG_ALIAS",
  ),
  value("--tags", accepted("model lists have no tags"), "LLAMA_ARG_TAGS"),
  flag("-cl --cache-list", refused("ggufd list lists the models on this machine")),
  flag("--offline", choice("--offline"), "LLAMA_ARG_OFFLINE"),
  value("--override-kv", setting("--override-kv")),
  value("--lora", setting("--lora")),
  value("--lora-scaled", setting("--lora")),
  flag("--lora-init-without-apply", choice("--lora-init-without-apply")),
  value("--control-vector", refused("control vectors are not supported; --lora adds adapters")),
  value(
    "--control-vector-scaled",
    refused("control vectors are not supported; --lora adds adapters"),
  ),
  value("--control-vector-layer-range", refused("control vectors are not supported")),
  flag(
    "--embedding --embeddings",
    modelPurpose("embedding", "--embeddings"),
    "LLAMA_ARG_EMBEDDINGS",
  ),
  flag("--rerank --reranking", modelPurpose("reranking"), "LLAMA_ARG_RERANKING"),
  value(
    "--pooling",
    cases(
      {
        rank: accepted("the model's file states that it is a reranker"),
      },
      setting("--embedding-pooling"),
    ),
    "LLAMA_ARG_POOLING",
  ),
  value("--embd-normalize", setting("--embd-normalize")),
  value("-mm --mmproj", setting("--mmproj"), "LLAMA_ARG_MMPROJ"),
  value(
    "-mmu --mmproj-url",
    refused("ggufd pull gets a model with its projector; --mmproj takes a file"),
    "LLAMA_ARG_MMPROJ_URL",
  ),
  toggle(
    "--mmproj-auto",
    "--no-mmproj --no-mmproj-auto",
    { on: choice("--mmproj", "auto"), off: choice("--mmproj", "none") },
    "LLAMA_ARG_MMPROJ_AUTO",
  ),
  toggle(
    "--mmproj-offload",
    "--no-mmproj-offload",
    {
      on: accepted("projectors run on the GPU unless --no-mmproj-offload is given"),
      off: choice("--no-mmproj-offload"),
    },
    "LLAMA_ARG_MMPROJ_OFFLOAD",
  ),
  value(
    "-mmdev --mmproj-device",
    cases(
      { none: choice("--no-mmproj-offload") },
      refused("the projector uses the model's device, or the CPU with --no-mmproj-offload"),
    ),
    "MTMD_BACKEND_DEVICE",
  ),
  value(
    "--image-min-tokens",
    refused("the model's file gives the size of images; --max-image-megapixels limits them"),
    "LLAMA_ARG_IMAGE_MIN_TOKENS",
  ),
  value(
    "--image-max-tokens",
    refused("the model's file gives the size of images; --max-image-megapixels limits them"),
    "LLAMA_ARG_IMAGE_MAX_TOKENS",
  ),
  value(
    "--mtmd-batch-max-tokens",
    accepted("images are encoded one after another"),
    "LLAMA_ARG_MTMD_BATCH_MAX_TOKENS",
  ),
  value(
    "--video-fps",
    refused("video is not supported; send frames as images"),
    "LLAMA_ARG_VIDEO_FPS",
  ),
  value(
    "--video-timestamp-interval",
    refused("video is not supported; send frames as images"),
    "LLAMA_ARG_VIDEO_TIMESTAMP_INTERVAL",
  ),
  value(
    "--video-ffmpeg-dir",
    refused("video is not supported; send frames as images"),
    "LLAMA_ARG_VIDEO_FFMPEG_DIR",
  ),
  value("--models-dir", setting("--models-dir"), "LLAMA_ARG_MODELS_DIR"),
  value("--models-preset", setting("--models-preset"), "LLAMA_ARG_MODELS_PRESET"),
  value(
    "--models-max",
    { ...setting("--models-max"), note: "the default is no limit except --memory-budget" },
    "LLAMA_ARG_MODELS_MAX",
  ),
  toggle(
    "--models-autoload",
    "--no-models-autoload",
    {
      on: accepted("models are loaded on first use"),
      off: choice("--no-models-autoload"),
    },
    "LLAMA_ARG_MODELS_AUTOLOAD",
  ),
  value("--sleep-idle-seconds", setting("--model-ttl")),
  shorthand(
    "--embd-gemma-default",
    file("embeddinggemma-300M-qat-q4_0", "embeddinggemma-300M-qat-Q4_0"),
    8011,
  ),
  shorthand("--fim-qwen-1.5b-default", coder("1.5B"), 8012),
  shorthand("--fim-qwen-3b-default", coder("3B"), 8012),
  shorthand("--fim-qwen-7b-default", coder("7B"), 8012),
  withDraft("--fim-qwen-7b-spec", "7B"),
  withDraft("--fim-qwen-14b-spec", "14B"),
  shorthand(
    "--fim-qwen-30b-default",
    file("Qwen3-Coder-30B-A3B-Instruct-Q8_0", "qwen3-coder-30b-a3b-instruct-q8_0"),
    8012,
  ),
  shorthand("--gpt-oss-20b-default", file("gpt-oss-20b", "gpt-oss-20b-mxfp4"), 8013),
  shorthand("--gpt-oss-120b-default", "ggml-org/gpt-oss-120b-GGUF", 8013),
  shorthand("--vision-gemma-4b-default", "ggml-org/gemma-3-4b-it-qat-GGUF", 8014),
  shorthand("--vision-gemma-12b-default", "ggml-org/gemma-3-12b-it-qat-GGUF", 8014),
];
