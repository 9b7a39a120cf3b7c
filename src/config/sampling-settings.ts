import type { z } from "zod";
import {
  type SamplingFlag,
  type SamplingRow,
  type SamplingValue,
  samplingRows,
} from "../core/sampling-table.js";
import { samplingValue } from "../validation/sampling-schema.js";
import type { Setting } from "./setting.js";
import { positiveInteger, samplerNames } from "./setting-fields.js";

interface SamplingSetting<Name extends SamplingFlag> {
  readonly schema: z.ZodType<SamplingValue<Name> | undefined>;
  readonly factOf: readonly ["generation"];
  readonly at: `sampling.${Name}`;
  readonly form: "number" | "integer" | "text";
  readonly placeholder: string;
  readonly help: string;
}

type SamplingSettings = {
  readonly [Name in SamplingFlag]: SamplingSetting<Name>;
};

const forms = {
  number: { form: "number", placeholder: "N" },
  integer: { form: "integer", placeholder: "N" },
  window: { form: "integer", placeholder: "N" },
  mirostat: { form: "integer", placeholder: "0|1|2" },
  samplers: { form: "text", placeholder: "NAMES" },
  breakers: { form: "text", placeholder: "TEXTS" },
} as const satisfies Record<SamplingRow["kind"], Pick<Setting, "form" | "placeholder">>;

function buildSetting(name: string, row: SamplingRow): Setting {
  const { kind } = row;
  const schema = kind === "samplers" ? samplerNames() : samplingValue(row);
  return {
    schema: schema.optional(),
    factOf: ["generation"],
    at: `sampling.${name}`,
    ...forms[kind],
    help: `${helpOf(row)} (default: ${row.gguf ? "the model file's, otherwise " : ""}${defaultOf(row)})`,
  };
}

function helpOf({ kind, help }: SamplingRow): string {
  return kind === "samplers" ? `${help}, separated by semicolons` : help;
}

function defaultOf(row: SamplingRow): string {
  return row.kind === "samplers" ? "all but adaptive_p" : String(row.default);
}

/** Defaults of sampling parameters that requests leave out, named as in llama-server. */
export const samplingSettings = {
  ...(Object.fromEntries(
    samplingRows.flatMap((row) => (row.flag ? [[row.name, buildSetting(row.name, row)]] : [])),
  ) as SamplingSettings),
  maxTokens: {
    schema: positiveInteger().optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "longest answer to requests without a limit, in tokens (default: as many as fit)",
  },
} as const satisfies Record<string, Setting>;
