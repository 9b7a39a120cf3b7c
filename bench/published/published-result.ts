import { z } from "zod";
import type { Section } from "../report/section.js";

const kernels = z.object({ file: z.string().min(1), sha256: z.string().regex(/^[\da-f]{64}$/) });

const side = z.object({
  label: z.string().min(1),
  version: z.string().min(1),
  command: z.array(z.string()),
  kernels: kernels.optional(),
});

/** A value that was not measured is null in JSON. */
const value = z
  .number()
  .nullable()
  .transform((number) => number ?? Number.NaN);

const row = z.object({
  clients: z.int().positive(),
  measure: z.object({
    label: z.string(),
    subject: z.string().optional(),
    unit: z.string(),
    better: z.enum(["higher", "lower"]),
  }),
  sides: z.array(z.object({ median: value, spread: value })).min(1),
  ratio: value,
  target: z.object({ text: z.string(), verdict: z.enum(["met", "missed", "unknown"]) }).optional(),
});

/**
 * Result that the documentation's tables are generated from: the medians of a report's section, and
 * everything needed to measure them again. Committed as `bench/results/published/NAME.json`.
 */
export const publishedResult = z.strictObject({
  format: z.literal(1),
  name: z.string().regex(/^[\w.-]+$/),
  title: z.string(),
  description: z.string(),
  settings: z.string(),
  /** `smoke`: values of a quick run, shown until the result is measured. */
  standing: z.enum(["measured", "smoke"]),
  date: z.iso.datetime(),
  machine: z.object({
    cpu: z.string().min(1),
    cores: z.int().positive(),
    memoryGiB: z.int().positive(),
    platform: z.string().min(1),
    node: z.string().min(1),
  }),
  origin: z.object({
    commit: z.string().regex(/^[\da-f]{40}$/),
    isChanged: z.literal(false, "expected a working tree without uncommitted changes"),
    command: z.string().startsWith("npm run bench -- "),
  }),
  concurrencyLabel: z.string(),
  /** Compared programs, ggufd first. */
  servers: z
    .array(side)
    .min(1)
    .check(({ value: servers, issues }) => {
      const reason = kernelsFault(servers);
      if (reason !== undefined) {
        issues.push({ code: "custom", input: servers, message: reason, path: ["kernels"] });
      }
    }),
  rows: z.array(row).min(1),
  notes: z.array(z.string()),
});

export type PublishedResult = z.infer<typeof publishedResult>;
export type PublishedRow = PublishedResult["rows"][number];

/** Programs that compute in a comparison, even if their kernels are unknown. */
const computingPeers = ["llama-server", "llama-batched-bench"];

/**
 * Reports a comparison of computing programs with different kernels, which would compare compilers.
 */
function kernelsFault(servers: readonly z.infer<typeof side>[]): string | undefined {
  const compute = servers.some(
    ({ label, kernels }) => kernels !== undefined || computingPeers.includes(label),
  );
  if (!compute) return undefined;
  const without = servers.find((server) => server.kernels === undefined);
  if (without !== undefined) return `expected the kernels of ${without.label}, got none`;
  const names = servers.map(
    ({ label, kernels }) => `${label}: ${kernels?.file} ${kernels?.sha256}`,
  );
  const distinct = new Set(servers.map((server) => server.kernels?.sha256));
  return distinct.size === 1 ? undefined : `expected equal kernels, got ${names.join(", ")}`;
}

/**
 * Converts a section to JSON.
 * @returns JSON to be parsed by {@link publishedResult}, which finds missing fields
 */
export function toPublished(section: Section): unknown {
  const { plots: _plots, effort, sides: _sides, ...published } = section;
  return { format: 1, ...published, standing: effort === "full" ? "measured" : "smoke" };
}
