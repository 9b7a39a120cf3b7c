import { everyModel, type FactOf, type Setting } from "../../src/config/setting.js";
import {
  environmentVariableOf,
  flagOf,
  type SettingName,
  settingNames,
  settings,
} from "../../src/config/settings.js";

const introduction = `# Configuration

<!-- Generated from src/config/settings.ts by \`npm run docs\`; a test compares. -->

A flag overrides its environment variable, which overrides [llama-server's](llama-server.md), which overrides the key in the configuration file, which overrides the default. [Presets](presets.md) configure
several models. \`ggufd config\` prints the effective settings, those of [each model](#models), and their origin. Invalid configuration ends
the start with exit code 1 and one line that names the setting, the expected and the actual value: see [errors at start](errors.md#errors-at-start).

\`\`\`sh
npm start -- --model ~/models/my-model.gguf --parallel 8 --context-size 8192
GGUFD_MODEL=~/models/my-model.gguf GGUFD_PARALLEL=8 npm start
npm start -- --config ggufd.json           # or GGUFD_CONFIG=ggufd.json
\`\`\`

The configuration file is a JSON object whose keys are the flags in camel case: \`{"contextSize": 8192, "gpu": "cuda"}\`.
Switches are \`true\` or \`false\` in the environment and the file. Repeatable settings are arrays in the file and comma-separated in
the environment: \`GGUFD_API_KEY=first,second\`.

## Models

A setting applies to the server or to models of certain kinds: see the column "Applies to". The settings of a model form one value, fixed at startup
([decision 50](decisions/0050-a-model-is-a-value.md)). \`ggufd config\` prints a section for each model, with its kind, name and files, and the value and
origin of each setting:

\`\`\`
generation model my-model
  alias                     my-model         default
  file                      my-model.gguf    --model
  slots                     8                GGUFD_PARALLEL
  contextSize               –                default
\`\`\`

A dash means that the setting is empty or chosen when the model is loaded; \`ggufd plan\` shows slots and context for this machine. The file of \`--model\` may
be an embedding model or a reranker, which is detected on reading. In that case the settings below \`ifPooling\` apply.

## Flags of llama-server

All flags and environment variables of llama-server are known: [Coming from llama-server](llama-server.md) lists what each becomes. llama-server's preset files are accepted as [presets](presets.md#llama-servers).

## Settings
`;

const notes = `
## Notes

- **Slots and context.** Each of \`--parallel\` slots has \`--context-size\` tokens; the KV cache is allocated at startup. Unset values are chosen by
  the free memory and shown on the start screen. With \`--kv-cache-layout unified\` the slots share one cache of the same total size, and a request can use all
  of its free part. \`auto\` uses it on GPUs, and on CPUs if a slot is shorter than the model's context.
- **Devices.** \`--gpu auto\` uses the first of CUDA and Vulkan (Metal on macOS) with a GPU that fits at least one layer, otherwise the CPU. The start screen names
  skipped backends and the reasons. \`ggufd devices\` lists all devices, their memory, and the choice of \`auto\`. \`--gpu vulkan\` or \`--gpu cuda\` without such a
  device, and \`--gpu-layers N\` that do not fit, are errors. Vulkan drivers that compute on the CPU are not used ([decision 42](decisions/0042-backends-are-tried-in-processes.md)).
- **Threads.** \`--threads auto\` measures decoding and prompt evaluation with different numbers of threads, for about three seconds each. It caches the
  result for this machine and model in \`~/.cache/ggufd/threads.json\` (or below \`$XDG_CACHE_HOME\`).
- **Compiling llama.cpp for this machine.** The prebuilt library runs on every processor of its architecture and has no OpenMP.
  \`npm run build:native\` (or \`ggufd build-native\`) compiles one with all instruction sets of this CPU. It needs git, CMake,
  make or Ninja, a C++ compiler and some minutes, but no network. From the next start, the daemon uses it for CPU inference, and the start screen
  says \`llama.cpp compiled here\`. \`npx node-llama-cpp source clear builds\`, \`npm ci\` and another version of node-llama-cpp remove it.
- **Drafts.** \`--draft auto\` uses a model's layers for multi-token prediction ("nextn") if llama.cpp supports them for its architecture; otherwise the log (info) has the reason.
  They take memory for weights and caches; \`none\` or \`--speculation off\` leaves them out. \`--draft FILE\` takes a draft model, or an EAGLE-3 head (by \`general.architecture\`)
  trained for the same model. Drafting pauses when it does not pay off. \`--draft-model\` is the older name of \`--draft\` ([decision 56](decisions/0056-drafts-by-hidden-states.md)).
- **Sampling, prompts and RoPE.** Parameters that a request omits come from the model: [parameters](api.md#post-v1chatcompletions). \`--chat-template\` and \`--system-prompt\` apply to all
  dialects; a template's tool format is detected. RoPE and YaRN use the [native companion](companion.md). \`--rope-scale N\` multiplies the model's context by N, also for the
  default of \`--context-size\`. \`--override-kv\` replaces values of the model's file before they are read. A wrong type or an impossible number is an error at start.
- **Loading.** \`--load-on-startup\`, \`--pinned\` and \`--model-ttl\` control when a model is loaded and unloaded. [\`--lora\`](lora.md) adds LoRA adapters. \`--mmproj\` selects the projector for
  [images and audio](api.md#images-and-audio), found automatically for pulled models; \`--no-mmproj-offload\` keeps it on the CPU.
- **Keys on the command line** are visible in the process list. Use \`--api-key-file\` or the environment instead.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const header = [
    "| Flag | Environment variable | Default | Applies to | Meaning |",
    "| ---- | -------------------- | ------- | ---------- | ------- |",
  ];
  const rows = settingNames.map((name) => `| ${cellsOf(name).join(" | ")} |`);
  return [introduction, ...header, ...rows, notes].join("\n");
}

function cellsOf(name: SettingName): string[] {
  const setting: Setting = settings[name];
  const flag = [flagOf(name), setting.placeholder].filter(Boolean).join(" ");
  const [, help = "", described] = /^(.*?)(?: \(default: (.*)\))?$/.exec(setting.help) ?? [];
  const meaning = setting.details === undefined ? help : `${help}. ${setting.details}`;
  return [
    code(flag),
    code(environmentVariableOf(name)),
    described ?? code(defaultOf(setting)),
    subjectOf(setting.factOf),
    escapeCell(meaning),
  ];
}

/** `the server`, `every model`, `generation`, `embedding, reranking` */
function subjectOf(factOf: FactOf): string {
  if (factOf === "server") return "the server";
  return factOf.length === everyModel.length ? "every model" : factOf.join(", ");
}

function defaultOf({ schema }: Setting): string {
  const initial: unknown = schema.safeParse(undefined).data;
  const isEmpty = initial === undefined || (Array.isArray(initial) && initial.length === 0);
  return isEmpty ? "none" : String(initial);
}

/** In a table a bar must be escaped, in code too. */
function code(text: string): string {
  return text === "none" ? text : `\`${escapeCell(text)}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
