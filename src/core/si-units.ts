/**
 * Formats an amount with an SI prefix: 135000000 → `135 M`, to be followed by a unit such as `B`.
 */
export function formatSiUnits(amount: number): string {
  const [unit, size] = (
    [
      ["G", 1e9],
      ["M", 1e6],
      ["k", 1e3],
    ] as const
  ).find(([, size]) => amount >= size) ?? ["", 1];
  return `${(amount / size).toFixed(amount / size < 10 ? 1 : 0)} ${unit}`;
}
