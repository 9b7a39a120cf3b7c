import {
  accepted,
  cases,
  choice,
  flag,
  type LlamaServerOption,
  refused,
  type SettingEffect,
  setting,
  toggle,
  value,
} from "./option.js";

const THREADS = { "-1": "auto", "0": "auto" } as const;
const affinity = refused("taskset, numactl or the container selects the CPUs");
const priority = accepted("nice or the service manager sets the priority");
const polling = accepted("compute threads stop spinning when there is no work");

/** llama-server's values of a setting that is `on`, `off` or `auto`. */
const ON_OFF_AUTO = {
  ...{ true: "on", enabled: "on", "1": "on" },
  ...{ false: "off", disabled: "off", "0": "off" },
  "-1": "auto",
};

const CONTEXT: SettingEffect = {
  kind: "setting",
  flag: "--context-size",
  values: { "0": undefined },
  isTotal: true,
  note: "divided by --parallel if that is given; otherwise the context of one slot",
};

/** Options of threads, devices, memory, caches and RoPE. */
export const computingOptions: readonly LlamaServerOption[] = [
  value("-t --threads", setting("--threads", THREADS), "LLAMA_ARG_THREADS"),
  value("-tb --threads-batch", setting("--threads-batch", THREADS)),
  value("-C --cpu-mask", affinity),
  value("-Cr --cpu-range", affinity),
  value("--cpu-strict", affinity),
  value("--prio", priority),
  value("--poll", polling),
  value("-Cb --cpu-mask-batch", affinity),
  value("-Crb --cpu-range-batch", affinity),
  value("--cpu-strict-batch", affinity),
  value("--prio-batch", priority),
  value("--poll-batch", polling),
  value("-c --ctx-size", CONTEXT, "LLAMA_ARG_CTX_SIZE"),
  value(
    "--kv-unified-per-slot",
    refused("--kv-cache-layout unified --context-size N gives each slot N tokens on average"),
    "LLAMA_ARG_KV_UNIFIED_PER_SLOT",
  ),
  value(
    "-b --batch-size",
    {
      ...setting("--batch-size"),
      note: "tokens of a step, which has one pass on GPUs unless --ubatch-size is smaller",
    },
    "LLAMA_ARG_BATCH",
  ),
  value(
    "-ub --ubatch-size",
    {
      ...setting("--ubatch-size", { "0": undefined }),
      note: "an upper limit; passes are smaller on CPUs",
    },
    "LLAMA_ARG_UBATCH",
  ),
  value("--keep", accepted("no tokens are dropped, because there is no context shift")),
  flag(
    "--swa-full",
    accepted("states are kept for reuse, so a window needs no full-size cache"),
    "LLAMA_ARG_SWA_FULL",
  ),
  value(
    "-ctxcp --ctx-checkpoints --swa-checkpoints",
    accepted("checkpoints are kept within --cache-ram"),
    "LLAMA_ARG_CTX_CHECKPOINTS",
  ),
  value(
    "-cms --checkpoint-min-step",
    accepted("ggufd chooses the positions of checkpoints"),
    "LLAMA_ARG_CHECKPOINT_MIN_SPACING_NT",
  ),
  value("-cram --cache-ram", setting("--cache-ram", { "-1": "1048576" }), "LLAMA_ARG_CACHE_RAM"),
  toggle(
    "-kvu --kv-unified",
    "-no-kvu --no-kv-unified",
    {
      on: choice("--kv-cache-layout", "unified"),
      off: choice("--kv-cache-layout", "split"),
    },
    "LLAMA_ARG_KV_UNIFIED",
  ),
  toggle(
    "--cache-idle-slots",
    "--no-cache-idle-slots",
    {
      on: accepted("the state of an evicted slot is kept within --cache-ram"),
      off: refused("--cache-ram 0 keeps no state of evicted slots"),
    },
    "LLAMA_ARG_CACHE_IDLE_SLOTS",
  ),
  toggle(
    "--context-shift",
    "--no-context-shift",
    {
      on: refused("a conversation that is too long is refused"),
      off: accepted("there is no context shift"),
    },
    "LLAMA_ARG_CONTEXT_SHIFT",
  ),
  value("-fa --flash-attn", setting("--flash-attn", ON_OFF_AUTO), "LLAMA_ARG_FLASH_ATTN"),
  value("--rope-scaling", setting("--rope-scaling"), "LLAMA_ARG_ROPE_SCALING_TYPE"),
  value("--rope-scale", setting("--rope-scale"), "LLAMA_ARG_ROPE_SCALE"),
  value("--rope-freq-base", setting("--rope-freq-base"), "LLAMA_ARG_ROPE_FREQ_BASE"),
  value("--rope-freq-scale", setting("--rope-freq-scale"), "LLAMA_ARG_ROPE_FREQ_SCALE"),
  value("--yarn-orig-ctx", setting("--yarn-orig-ctx"), "LLAMA_ARG_YARN_ORIG_CTX"),
  value("--yarn-ext-factor", setting("--yarn-ext-factor"), "LLAMA_ARG_YARN_EXT_FACTOR"),
  value("--yarn-attn-factor", setting("--yarn-attn-factor"), "LLAMA_ARG_YARN_ATTN_FACTOR"),
  value("--yarn-beta-slow", setting("--yarn-beta-slow"), "LLAMA_ARG_YARN_BETA_SLOW"),
  value("--yarn-beta-fast", setting("--yarn-beta-fast"), "LLAMA_ARG_YARN_BETA_FAST"),
  toggle(
    "-kvo --kv-offload",
    "-nkvo --no-kv-offload",
    {
      on: accepted("it is the default"),
      off: choice("--no-kv-offload"),
    },
    "LLAMA_ARG_KV_OFFLOAD",
  ),
  toggle(
    "--repack",
    "-nr --no-repack",
    {
      on: accepted("weights are repacked where llama.cpp can"),
      off: refused("weights are repacked where llama.cpp can; --override-tensor selects buffers"),
    },
    "LLAMA_ARG_REPACK",
  ),
  flag(
    "--no-host",
    refused("--override-tensor selects the buffers of tensors"),
    "LLAMA_ARG_NO_HOST",
  ),
  value("-ctk --cache-type-k", setting("--cache-type-k"), "LLAMA_ARG_CACHE_TYPE_K"),
  value("-ctv --cache-type-v", setting("--cache-type-v"), "LLAMA_ARG_CACHE_TYPE_V"),
  value(
    "-dt --defrag-thold",
    accepted("the KV cache needs no defragmentation"),
    "LLAMA_ARG_DEFRAG_THOLD",
  ),
  value("-np --parallel", setting("--parallel", { "-1": undefined }), "LLAMA_ARG_N_PARALLEL"),
  toggle(
    "-cb --cont-batching",
    "-nocb --no-cont-batching",
    {
      on: accepted("requests are always batched continuously"),
      off: refused("--parallel 1 evaluates one request at a time"),
    },
    "LLAMA_ARG_CONT_BATCHING",
  ),
  value("--rpc", setting("--rpc"), "LLAMA_ARG_RPC"),
  value(
    "-lm --load-mode",
    cases(
      {
        mlock: choice("--mlock"),
        "mmap+mlock": choice("--mlock"),
      },
      setting("--load-mode"),
    ),
    "LLAMA_ARG_LOAD_MODE",
  ),
  value(
    "-lzm --lazy-mode",
    cases(
      { auto: accepted("llama.cpp decides by the size of the tensors") },
      refused("llama.cpp decides by the size of the tensors"),
    ),
    "LLAMA_ARG_LAZY_MODE",
  ),
  value("--numa", setting("--numa", { "": "distribute" }), "LLAMA_ARG_NUMA"),
  value(
    "-dev --device",
    cases({ none: choice("--gpu", "off") }, setting("--device")),
    "LLAMA_ARG_DEVICE",
  ),
  flag("--list-devices", refused("ggufd devices lists them")),
  value("-ot --override-tensor", setting("--override-tensor"), "LLAMA_ARG_OVERRIDE_TENSOR"),
  flag("-cmoe --cpu-moe", choice("--cpu-moe", "all"), "LLAMA_ARG_CPU_MOE"),
  value("-ncmoe --n-cpu-moe", setting("--cpu-moe"), "LLAMA_ARG_N_CPU_MOE"),
  value(
    "-ncffn --n-cpu-ffn",
    refused("--override-tensor blk.N.ffn_.*=CPU keeps the weights of layer N in main memory"),
    "LLAMA_ARG_N_CPU_FFN",
  ),
  value(
    "-ngl --gpu-layers --n-gpu-layers",
    setting("--gpu-layers", { "-1": "auto", all: "9999" }),
    "LLAMA_ARG_N_GPU_LAYERS",
  ),
  value("-sm --split-mode", setting("--split-mode"), "LLAMA_ARG_SPLIT_MODE"),
  value("-ts --tensor-split", setting("--tensor-split"), "LLAMA_ARG_TENSOR_SPLIT"),
  value("-mg --main-gpu", setting("--main-gpu"), "LLAMA_ARG_MAIN_GPU"),
  value(
    "-fit --fit",
    cases(
      { on: accepted("settings that are not given are always fitted to the memory") },
      refused("--parallel, --context-size and --gpu-layers that are given are never changed"),
    ),
    "LLAMA_ARG_FIT",
  ),
  value(
    "-fitt --fit-target",
    refused("--memory-budget limits the memory that models take"),
    "LLAMA_ARG_FIT_TARGET",
  ),
  value(
    "-fitc --fit-ctx",
    refused("a context given with --context-size is never reduced"),
    "LLAMA_ARG_FIT_CTX",
  ),
  flag("--check-tensors", choice("--check-tensors")),
  toggle("--op-offload", "--no-op-offload", {
    on: accepted("it is the default"),
    off: choice("--no-op-offload"),
  }),
  toggle(
    "--perf",
    "--no-perf",
    {
      on: accepted("answers and GET /metrics always have timings"),
      off: accepted("llama.cpp's own timings are not collected"),
    },
    "LLAMA_ARG_PERF",
  ),
  toggle("--warmup", "--no-warmup", {
    on: accepted("loading a model includes what its first request needs"),
    off: accepted("there is no separate warm-up run"),
  }),
];
