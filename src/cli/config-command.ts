import type { LoadedConfig } from "../config/load-config.js";
import { factsOf, type ModelSpec } from "../config/model-spec.js";
import { settingNames, settings } from "../config/settings.js";

type Row = readonly [name: string, value: string, origin: string];

/** Formats the effective configuration as a table: setting, value, source. */
export function printConfig({ config, origins }: LoadedConfig): string {
  return asTable(
    settingNames.map((name): Row => {
      const value = config[name];
      const isSecret = "secret" in settings[name] && Array.isArray(value);
      return [name, isSecret ? `${value.length} (hidden)` : displayed(value), origins[name]];
    }),
  );
}

/**
 * Formats each model as a section: its kind and name, then the same table of its facts. The rows are indented, so that
 * no line begins as that of a setting does.
 */
export function printModels(
  models: readonly ModelSpec[],
  origins: LoadedConfig["origins"],
): readonly string[] {
  return models.map((spec) => {
    const rows = factsOf(spec).map(
      ({ name, value, setting }): Row => [`  ${name}`, displayed(value), origins[setting]],
    );
    return `${spec.kind} model ${spec.alias}\n${asTable(rows)}`;
  });
}

function asTable(rows: readonly Row[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([name, value, origin]) =>
      [name.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), origin].join("  "),
    )
    .join("\n");
}

/** A value as it is written in a flag. */
function displayed(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.map(displayed).join();
  if (typeof value !== "object" || value === null) return String(value);
  if ("pattern" in value && "bufferType" in value) return `${value.pattern}=${value.bufferType}`;
  return "path" in value ? String(value.path) : JSON.stringify(value);
}
