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

A flag wins over its environment variable, that over the key in the configuration file, that over the default. [Presets](presets.md) say of many models what flags say of one.
\`node dist/main.js config\` prints the effective settings and [each model](#models) with its facts, and where each comes from. Invalid configuration fails at
startup, with one line that names the setting, what was expected and what was found, and exit code 1: see
[errors at start](errors.md#errors-at-start).

\`\`\`sh
npm start -- --model ~/models/my-model.gguf --parallel 8 --context-size 8192
GGUFD_MODEL=~/models/my-model.gguf GGUFD_PARALLEL=8 npm start
npm start -- --config ggufd.json           # or GGUFD_CONFIG=ggufd.json
\`\`\`

The configuration file is a JSON object whose keys are the flags in camel case: \`{"contextSize": 8192, "gpu": "cuda"}\`.
Switches take \`true\` or \`false\` in the environment and in the file. Repeatable settings are arrays in the file, and separated by commas
in the environment: \`GGUFD_API_KEY=first,second\`.

## Models

A setting is a fact of the server, or of the models of one or several kinds: the column "Fact of" says which. The facts of a model are one value, which is made of the settings at
the start and is all that loads and serves the model ([decision 50](decisions/0050-a-model-is-a-value.md)). \`node dist/main.js config\` has a section for each model, below the
settings: its kind and name, its files, and each fact with the value that holds and the source of that value:

\`\`\`
generation model my-model
  alias                     my-model         default
  file                      my-model.gguf    --model
  slots                     8                GGUFD_PARALLEL
  contextSize               –                default
\`\`\`

A dash means that there is none, or that the value is chosen when the model is loaded: \`node dist/main.js plan\` tells what slots and context would be here. The file of \`--model\` may be an embedding model or a reranker, which is known
when it is read: the facts below \`ifPooling\` hold then.

## Flags of llama-server

Most flags of llama-server are understood, as they are or by the name that ggufd has for them: \`-m\`, \`-hf\`, \`--host PATH.sock\`, \`--ssl-cert-file\`, \`--ssl-key-file\`, \`-c\` (of all slots, if their number is given), \`-np\`, \`-ngl\`, \`-ctk\`, \`-ctv\`, \`-n\`, \`--temp\` and the other samplers, \`--chat-template\`, \`--rope-scaling\`, \`--override-kv\`, \`--lora-scaled\`, \`--lora-init-without-apply\`, \`--sleep-idle-seconds\` and others.
Those that ask for what ggufd does anyway are passed over, and those without a counterpart refused with what there is instead. Its files of models are [presets](presets.md#llama-servers).

## Settings
`;

const notes = `
## Notes

- **Slots and context.** \`--parallel\` slots have \`--context-size\` tokens each; the KV cache is allocated at startup. What is not
  configured is chosen by the free memory; the start screen shows the result. With \`--kv-cache-layout unified\` the slots share one cache of that size, and a
  request may have all of it that is free; \`auto\` uses it on GPUs, and on CPUs where a slot is shorter than the model's context.
- **Devices.** With \`--gpu auto\` the model goes to the first of CUDA and Vulkan (on macOS Metal) that has a GPU on which a layer of it fits, otherwise to the CPU; the start screen names
  what was passed over, and why. \`node dist/main.js devices\`, with the settings of a start, lists all devices with their memory and what \`auto\` would use. \`--gpu vulkan\` or \`--gpu cuda\` without such a device, and
  \`--gpu-layers N\` that do not fit, are errors. Vulkan drivers that compute on the CPU do not count ([decision 42](decisions/0042-backends-are-tried-in-processes.md)).
- **Threads.** With \`--threads auto\` ggufd times steps with different numbers of threads, of decoding for three seconds at most and of a
  prompt for about as long, and caches
  the results for this machine and model in \`~/.cache/ggufd/threads.json\` (or below \`$XDG_CACHE_HOME\`).
- **A llama.cpp compiled for this machine.** The prebuilt library runs on every processor of its kind and has no OpenMP.
  \`npm run build:native\` (or \`node dist/main.js build-native\`) compiles one with all instruction sets of this CPU: it needs git, CMake,
  make or Ninja, a C++ compiler and minutes, but no network. The daemon uses it from the next start on, where the CPU computes, and the start screen
  says \`llama.cpp compiled here\`. \`npx node-llama-cpp source clear builds\` removes it; so do \`npm ci\` and another version of node-llama-cpp.
- **Drafts.** With \`--draft auto\` a model whose file has layers for multi-token prediction ("nextn") drafts with them, if llama.cpp computes those of its architecture; the log at level info says why not. They
  take memory: their weights, and a cache for each of them; \`none\` or \`--speculation off\` leaves them out. A file is a draft model, or an EAGLE-3 head if it says so (\`general.architecture\`), which has to be trained for the very model. In every
  case drafts are made only as long as they pay. \`--draft-model\` is the older name of \`--draft\` ([decision 56](decisions/0056-drafts-by-hidden-states.md)).
- **Sampling, prompts and RoPE.** What a request leaves out is the model's: [parameters](api.md#post-v1chatcompletions). \`--chat-template\` and \`--system-prompt\` hold for the model's conversations in every dialect; what tool format a template has is found out as for the model's own. RoPE and YaRN take the
  [native companion](companion.md); with \`--rope-scale N\` the model's context is N times as long, for the default of \`--context-size\` as well. \`--override-kv\` replaces values of the model's file before anything reads them, and is checked as they are: a type that is not the file's, and numbers that no model can have, are errors at start.
- **Loading.** \`--load-on-startup\`, \`--pinned\` and \`--model-ttl\` say when a model is loaded and how long it stays; [\`--lora\`](lora.md) names its LoRA adapters; \`--mmproj\` its projector for [images and audio](api.md#images-and-audio), which is found beside a pulled model; \`--no-mmproj-offload\` keeps it on the CPU.
- **Keys on the command line** are visible in the process list: prefer \`--api-key-file\` or the environment.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const header = [
    "| Flag | Environment variable | Default | Fact of | Meaning |",
    "| ---- | -------------------- | ------- | ------- | ------- |",
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
