import type { LoadedConfig } from "./load-config.js";
import { settingNames, settings } from "./settings/settings.js";

/** Formats the effective configuration as a table: setting, value, source. */
export function printConfig({ config, origins }: LoadedConfig): string {
  const rows = settingNames.map(
    (name) => [name, displayValue(name, config), origins[name]] as const,
  );
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(([name, value, origin]) =>
      [name.padEnd(widths[0] ?? 0), value.padEnd(widths[1] ?? 0), origin].join("  "),
    )
    .join("\n");
}

function displayValue(name: (typeof settingNames)[number], config: LoadedConfig["config"]): string {
  const value = config[name];
  if ("secret" in settings[name] && Array.isArray(value)) return `${value.length} (hidden)`;
  return value === undefined ? "–" : String(value);
}
