import {
  accepted,
  cases,
  choice,
  flag,
  type LlamaServerOption,
  refused,
  setting,
  toggle,
  value,
} from "./option.js";

const affinity = refused("taskset, numactl or the container selects the CPUs");
const asTheModel = (subject: string) => accepted(`${subject} are those of the model`);
const placed = refused("a draft model is placed by the settings of its model: --device, --gpu");
const tuned = accepted("the number of drafted tokens follows their measured acceptance");
const lookup = accepted("drafts from the prompt are used where they pay off, without tuning");
const removed = refused("llama.cpp has removed it; --speculation and --draft control drafts");
const benchmark = refused("acceptance is never simulated");

/** Options of speculative decoding. */
export const draftOptions: readonly LlamaServerOption[] = [
  value("--spec-draft-model -md --model-draft", setting("--draft"), "LLAMA_ARG_SPEC_DRAFT_MODEL"),
  value(
    "--spec-draft-hf -hfd -hfrd --hf-repo-draft",
    { kind: "setting", flag: "--draft", prefix: "hf:" },
    "LLAMA_ARG_SPEC_DRAFT_HF_REPO",
  ),
  value(
    "--spec-type",
    cases(
      { none: choice("--speculation", "off") },
      accepted("the drafting method follows from the model, --draft and the measured speed"),
    ),
    "LLAMA_ARG_SPEC_TYPE",
  ),
  flag("--spec-default", choice("--speculation", "auto")),
  value("--spec-draft-n-max", tuned, "LLAMA_ARG_SPEC_DRAFT_N_MAX"),
  value("--spec-draft-n-min", tuned, "LLAMA_ARG_SPEC_DRAFT_N_MIN"),
  value("--spec-draft-p-split --draft-p-split", tuned, "LLAMA_ARG_SPEC_DRAFT_P_SPLIT"),
  value("--spec-draft-p-min --draft-p-min", tuned, "LLAMA_ARG_SPEC_DRAFT_P_MIN"),
  value("--spec-synth-len", benchmark, "LLAMA_ARG_SPEC_SYNTH_LEN"),
  value("--spec-synth-rates", benchmark, "LLAMA_ARG_SPEC_SYNTH_RATES"),
  toggle(
    "--spec-draft-backend-sampling",
    "--no-spec-draft-backend-sampling",
    {
      on: accepted("drafts are sampled where that is fastest"),
      off: accepted("drafts are sampled where that is fastest"),
    },
    "LLAMA_ARG_SPEC_DRAFT_BACKEND_SAMPLING",
  ),
  value("--spec-draft-threads -td --threads-draft", asTheModel("the threads of a draft model")),
  value(
    "--spec-draft-threads-batch -tbd --threads-batch-draft",
    asTheModel("the threads of a draft model"),
  ),
  value("--spec-draft-cpu-mask -Cd --cpu-mask-draft", affinity),
  value("--spec-draft-cpu-range -Crd --cpu-range-draft", affinity),
  value("--spec-draft-cpu-strict --cpu-strict-draft", affinity),
  value(
    "--spec-draft-prio --prio-draft",
    accepted("nice or the service manager sets the priority"),
  ),
  value(
    "--spec-draft-poll --poll-draft",
    accepted("compute threads stop spinning when there is no work"),
  ),
  value("--spec-draft-cpu-mask-batch -Cbd --cpu-mask-batch-draft", affinity),
  value("--spec-draft-cpu-strict-batch --cpu-strict-batch-draft", affinity),
  value(
    "--spec-draft-prio-batch --prio-batch-draft",
    accepted("nice or the service manager sets the priority"),
  ),
  value(
    "--spec-draft-poll-batch --poll-batch-draft",
    accepted("compute threads stop spinning when there is no work"),
  ),
  value(
    "--spec-draft-type-k -ctkd --cache-type-k-draft",
    refused("--cache-type-k sets the type for the model"),
    "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K",
  ),
  value(
    "--spec-draft-type-v -ctvd --cache-type-v-draft",
    refused("--cache-type-v sets the type for the model"),
    "LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V",
  ),
  value("--spec-draft-override-tensor -otd --override-tensor-draft", placed),
  flag("--spec-draft-cpu-moe -cmoed --cpu-moe-draft", placed, "LLAMA_ARG_SPEC_DRAFT_CPU_MOE"),
  value(
    "--spec-draft-n-cpu-moe --spec-draft-ncmoe -ncmoed --n-cpu-moe-draft",
    placed,
    "LLAMA_ARG_SPEC_DRAFT_N_CPU_MOE",
  ),
  value("--spec-draft-device -devd --device-draft", placed),
  value(
    "--spec-draft-ngl -ngld --gpu-layers-draft --n-gpu-layers-draft",
    accepted("the layers of a draft model are placed by the free memory"),
    "LLAMA_ARG_N_GPU_LAYERS_DRAFT",
  ),
  value("-lcs --lookup-cache-static", refused("drafts are looked up in the prompt, not in files")),
  value("-lcd --lookup-cache-dynamic", refused("drafts are looked up in the prompt, not in files")),
  ...["mod-n-min", "mod-n-max", "mod-n-match"].map((name) => value(`--spec-ngram-${name}`, lookup)),
  ...["simple", "map-k", "map-k4v"].flatMap((kind) =>
    ["size-n", "size-m", "min-hits"].map((name) => value(`--spec-ngram-${kind}-${name}`, lookup)),
  ),
  value("--draft --draft-n --draft-max", removed, "LLAMA_ARG_DRAFT_MAX"),
  value("--draft-min --draft-n-min", removed, "LLAMA_ARG_DRAFT_MIN"),
  ...["size-n", "size-m", "min-hits"].map((name) => value(`--spec-ngram-${name}`, removed)),
];
