/** Formats a value in the unit of a panel, short enough for an axis. */
export function formatValue(value: number, unit: string): string {
  switch (unit) {
    case "s":
      return value < 1 ? `${short(value * 1000)} ms` : `${short(value)} s`;
    case "percentunit":
      return `${short(value * 100)} %`;
    case "bytes":
      return value < 2 ** 30 ? `${short(value / 2 ** 20)} MiB` : `${short(value / 2 ** 30)} GiB`;
    case "reqps":
      return `${short(value)}/s`;
    default:
      return short(value);
  }
}

function short(value: number): string {
  if (Math.abs(value) >= 10_000) return `${Math.round(value / 1000)}k`;
  return String(Number(value.toPrecision(3)));
}
