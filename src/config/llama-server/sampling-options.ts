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

const inRequests = (field: string) => refused(`it is the field ${field} of requests`);

/** Option whose setting has the same name and the same values. */
const same = (name: string, variable?: string) => value(name, setting(name), variable);

/** Options of sampling, constraints, chat templates and reasoning. */
export const samplingOptions: readonly LlamaServerOption[] = [
  same("--samplers"),
  value("-s --seed", setting("--seed", { "-1": undefined })),
  value("--sampler-seq --sampling-seq", setting("--samplers")),
  flag("--ignore-eos", inRequests("ignore_eos")),
  value("--temp --temperature", setting("--temperature"), "LLAMA_ARG_TEMPERATURE"),
  same("--top-k", "LLAMA_ARG_TOP_K"),
  same("--top-p", "LLAMA_ARG_TOP_P"),
  same("--min-p", "LLAMA_ARG_MIN_P"),
  value("--top-nsigma --top-n-sigma", setting("--top-n-sigma")),
  same("--xtc-probability"),
  same("--xtc-threshold"),
  value("--typical --typical-p", setting("--typical-p")),
  same("--repeat-last-n"),
  same("--repeat-penalty", "LLAMA_ARG_REPEAT_PENALTY"),
  same("--presence-penalty", "LLAMA_ARG_PRESENCE_PENALTY"),
  same("--frequency-penalty", "LLAMA_ARG_FREQUENCY_PENALTY"),
  same("--dry-multiplier"),
  same("--dry-base"),
  same("--dry-allowed-length"),
  same("--dry-penalty-last-n"),
  value("--dry-sequence-breaker", inRequests("dry_sequence_breakers")),
  same("--adaptive-target"),
  same("--adaptive-decay"),
  same("--dynatemp-range"),
  same("--dynatemp-exp"),
  same("--mirostat"),
  same("--mirostat-lr"),
  same("--mirostat-ent"),
  value("-l --logit-bias", inRequests("logit_bias")),
  same("--grammar"),
  same("--grammar-file"),
  value("-j --json-schema", setting("--json-schema")),
  value("-jf --json-schema-file", setting("--json-schema-file")),
  flag("-bs --backend-sampling", choice("--device-sampling", "on"), "LLAMA_ARG_BACKEND_SAMPLING"),
  value(
    "-n --predict --n-predict",
    setting("--max-tokens", { "-1": undefined }),
    "LLAMA_ARG_N_PREDICT",
  ),
  toggle("-e --escape", "--no-escape", {
    on: accepted("no prompt is given on the command line"),
    off: accepted("no prompt is given on the command line"),
  }),
  value("-r --reverse-prompt", inRequests("stop")),
  flag("-sp --special", refused("control tokens are not part of an answer's text")),
  flag("--spm-infill", refused("POST /infill has the order prefix, suffix, middle")),
  toggle(
    "--jinja",
    "--no-jinja",
    {
      on: accepted("chat templates are always rendered with Jinja"),
      off: accepted("chat templates are always rendered with Jinja"),
    },
    "LLAMA_ARG_JINJA",
  ),
  same("--chat-template", "LLAMA_ARG_CHAT_TEMPLATE"),
  same("--chat-template-file", "LLAMA_ARG_CHAT_TEMPLATE_FILE"),
  same("--chat-template-kwargs", "LLAMA_ARG_CHAT_TEMPLATE_KWARGS"),
  value(
    "--reasoning-format",
    cases(
      {
        auto: accepted("reasoning is always separated from the answer"),
        deepseek: accepted("reasoning is always separated from the answer"),
      },
      refused("reasoning is always separated from the answer, in reasoning_content"),
    ),
    "LLAMA_ARG_THINK",
  ),
  value(
    "-rea --reasoning",
    cases(
      {
        on: choice("--chat-template-kwargs", '{"enable_thinking":true}'),
        off: choice("--reasoning-budget", "0"),
      },
      accepted("the chat template decides about reasoning"),
    ),
    "LLAMA_ARG_REASONING",
  ),
  same("--reasoning-effort", "LLAMA_ARG_REASONING_EFFORT"),
  same("--reasoning-budget", "LLAMA_ARG_THINK_BUDGET"),
  value(
    "--reasoning-budget-message",
    inRequests("reasoning_budget_message"),
    "LLAMA_ARG_THINK_BUDGET_MESSAGE",
  ),
  toggle(
    "--reasoning-preserve",
    "--no-reasoning-preserve",
    {
      on: accepted("the chat template receives the reasoning of all messages"),
      off: refused("the chat template decides about the reasoning of earlier messages"),
    },
    "LLAMA_ARG_REASONING_PRESERVE",
  ),
  toggle(
    "--skip-chat-parsing",
    "--no-skip-chat-parsing",
    {
      on: refused("POST /v1/completions returns the text as it is"),
      off: accepted("answers are parsed by the format of the chat template"),
    },
    "LLAMA_ARG_SKIP_CHAT_PARSING",
  ),
];
