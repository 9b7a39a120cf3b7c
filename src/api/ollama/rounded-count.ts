/** Units of large numbers, and the digits behind the point that are shown in them. */
const UNITS = [
  { size: 1e12, name: "T", digits: 1 },
  { size: 1e9, name: "B", digits: 1 },
  { size: 1e6, name: "M", digits: 2 },
  { size: 1e3, name: "K", digits: 0 },
] as const;

/** A number of parameters as Ollama shows it: `8.0B`, `134.52M`, `12K`, `7`. */
export function roundedCount(count: number): string {
  const unit = UNITS.find(({ size }) => count >= size);
  return unit === undefined ? `${count}` : (count / unit.size).toFixed(unit.digits) + unit.name;
}
