import type {
  Effect,
  LlamaServerOption,
  PlainEffect,
} from "../../src/config/llama-server/option.js";
import { optionGroups } from "../../src/config/llama-server/options.js";

const introduction = `# Coming from llama-server

<!-- Generated from src/config/llama-server/ by \`npm run docs\`; a test compares. -->

ggufd knows every flag and every environment variable of llama-server, and reads its [presets](presets.md#llama-servers). A command line of llama-server starts ggufd:

\`\`\`sh
llama-server      -hf ggml-org/gemma-3-4b-it-GGUF -c 32768 -np 4 --jinja --port 8080
ggufd -hf ggml-org/gemma-3-4b-it-GGUF -c 32768 -np 4 --jinja --port 8080
\`\`\`

An option is used in one of three ways:

- **Applied:** it becomes a [setting](configuration.md#settings).
- **Accepted:** it has no effect, because ggufd always does it or does not need it. The reason is printed at the start.
- **Refused:** the start ends with one line that names the way to get the effect.

Environment variables are read like the flags. Precedence: flags, \`GGUFD_*\`, \`LLAMA_ARG_*\`, the configuration file. \`ggufd config\` shows the origin of each value.

If a flag or variable of llama-server gives the model (\`-m\`, \`-hf\`, or \`--model\` with other flags of llama-server), it answers requests for any model, as in llama-server. \`GGUFD_ACCEPT_ANY_MODEL=false\` refuses unknown names.

The tables are those of the llama.cpp version in this release. \`off\` is a negated switch, or a variable with \`0\`.
`;

/** The text of docs/llama-server.md. */
export function llamaServerPage(): string {
  const header = ["| llama-server | Variable | ggufd |", "| ------------ | -------- | ----- |"];
  const groups = Object.entries(optionGroups).map(([group, options]) =>
    [`## ${group}`, "", ...header, ...options.map(rowOf), ""].join("\n"),
  );
  return [introduction, ...groups].join("\n");
}

function rowOf(option: LlamaServerOption): string {
  const { names, negations, variable, offEffect } = option;
  const effect = describeEffect(option.effect);
  const cells = [
    [...names, ...negations].map(code).join(", "),
    variable === undefined ? "" : code(variable),
    offEffect === undefined ? effect : `${effect}<br>off: ${describeEffect(offEffect)}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function describeEffect(effect: Effect): string {
  if (effect.kind !== "cases") return describePlain(effect);
  const values = new Map<string, string[]>();
  for (const [value, one] of Object.entries(effect.cases)) {
    const text = describePlain(one);
    values.set(text, [...(values.get(text) ?? []), code(value)]);
  }
  const named = [...values].map(([text, same]) => `${same.join(", ")}: ${text}`);
  return [...named, `otherwise: ${describePlain(effect.otherwise)}`].join("<br>");
}

function describePlain(effect: PlainEffect): string {
  switch (effect.kind) {
    case "setting":
      return [code(effect.flag), ...(effect.note ? [withCode(effect.note)] : [])].join(": ");
    case "choice":
      return code([effect.flag, ...(effect.value ? [effect.value] : [])].join(" "));
    case "model-kind":
      if (effect.flag !== undefined) {
        return `${code(effect.flag)}; in a presets file, a model for this purpose only`;
      }
      return `accepted: ${withCode(effect.reason)}`;
    case "accepted":
      return `accepted: ${withCode(effect.reason)}`;
    case "repository-file":
      return `${code("--model")}: the file of the repository`;
    case "variable":
      return `the environment variable ${code(effect.name)}`;
    case "program":
      return "the same";
    case "refused":
      return `refused: ${withCode(effect.instead)}`;
  }
}

/** Marks flags, fields and requests in a text as code. */
function withCode(text: string): string {
  return text
    .replaceAll(/(?<![\w-])--[a-z][\w-]*/g, code)
    .replaceAll(/\b(GET|POST) \/[\w/]+/g, code)
    .replaceAll(/\b[a-z]+_[a-z_]+(\.[a-z_]+)?\b(: false)?/g, code);
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
