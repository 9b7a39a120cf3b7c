import type { ConfiguredModel } from "../config/configured-models.js";
import type { LoadedConfig } from "../config/load-config.js";
import { settingNames, settings } from "../config/settings.js";
import { preview } from "../validation/preview.js";

type Row = readonly [name: string, value: string, origin: string];

/** Formats the effective configuration as a table: setting, value, source. */
export function printConfig({ config, origins }: LoadedConfig): string {
  return formatRows(
    settingNames.map((name): Row => {
      const value = config[name];
      const isSecret = "secret" in settings[name] && Array.isArray(value);
      return [name, isSecret ? `${value.length} (hidden)` : formatValue(value), origins[name]];
    }),
  );
}

/**
 * Formats each model as a section: its kind and name, then a table like that of the settings. Rows
 * are indented, so that no line can be taken for that of a setting.
 */
export function printModels(models: readonly ConfiguredModel[]): readonly string[] {
  return models.map(({ spec, facts }) => {
    const rows = facts.map(
      ({ name, value, origin }): Row => [`  ${name}`, formatValue(value), origin],
    );
    return `${spec.kind} model ${spec.alias}\n${formatRows(rows)}`;
  });
}

function formatRows(rows: readonly Row[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([name, value, origin]) =>
      [name.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), origin].join("  "),
    )
    .join("\n");
}

/** Formats a value on one line, as written in a flag. */
function formatValue(value: unknown): string {
  if (value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(formatValue).join();
  if (typeof value === "string") return /[\r\n]/.test(value) ? preview(value) : value;
  if (typeof value !== "object" || value === null) return String(value);
  if ("pattern" in value && "bufferType" in value) return `${value.pattern}=${value.bufferType}`;
  if ("key" in value && "type" in value && "value" in value)
    return `${value.key}=${value.type}:${value.value}`;
  if ("scale" in value && "name" in value && "path" in value)
    return `${value.name}=${value.path}:${value.scale}`;
  if ("path" in value) return String(value.path);
  return "name" in value ? String(value.name) : JSON.stringify(value);
}
