/** Fields of the flags that say on which device a model's parts go, in llama-server's syntax. */
import { z } from "zod";

/** A list whose entries may also be separated by commas: `CUDA0,CUDA1`. */
export function separated<Entry extends z.ZodType>(entry: Entry) {
  return z.preprocess(
    (raw) => (Array.isArray(raw) ? raw.flatMap(splitText) : raw),
    z.array(entry, { error: "expected a list" }),
  );
}

/** Proportions, as numbers or a text: `3,1`. */
export function proportions() {
  const error = "expected proportions such as 3,1";
  const share = z.number({ error }).min(0, { error });
  return z.preprocess(
    (raw) => (typeof raw === "string" ? raw.split(",").map(toNumber) : raw),
    z.array(share, { error }).refine((shares) => shares.some((value) => value > 0), { error }),
  );
}

/** How many layers: a number, or all of them. */
export function layerCount() {
  const error = "expected a number of layers, or all";
  const layers = z.int({ error }).min(0, { error }).max(10_000, { error });
  return z.union([layers, z.literal("all", { error })], { error });
}

/** `PATTERN=TYPE`: a regular expression for names of tensors, and a buffer type. */
export function tensorOverride() {
  const error = "expected PATTERN=TYPE, e.g. exps=CPU, the pattern a regular expression";
  return z
    .string({ error })
    .regex(/^[^=]+=[^=]+$/, { error })
    .refine(hasPattern, { error })
    .transform((text) => {
      const [pattern = "", bufferType = ""] = text.split("=");
      return { pattern, bufferType };
    });
}

function splitText(entry: unknown): unknown[] {
  return typeof entry === "string" ? entry.split(",") : [entry];
}

function toNumber(text: string): unknown {
  return text.trim() === "" ? text : Number(text);
}

function hasPattern(text: string): boolean {
  try {
    new RegExp(text.split("=")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}
