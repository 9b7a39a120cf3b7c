/** A sample of a metric. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A text is not in the Prometheus format. */
export class NotPrometheusTextError extends Error {
  /** The first line that cannot be parsed. */
  readonly line: string;

  constructor(line: string) {
    super(`not a line of Prometheus's text format: ${line}`);
    this.line = line;
  }
}

/** A name, labels and a value, with an optional timestamp and exemplar. */
const SAMPLE =
  /^([a-zA-Z_:][\w:]*)\s*(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s*([^\s{}]+)(?:\s+-?[\d.]+)?(?:\s+#\s.*)?$/;
const LABEL = /\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", '"': '"', "\\": "\\" };

/**
 * Parses the samples of a scrape in the Prometheus 0.0.4 or OpenMetrics 1.0 text format; metric
 * types are ignored.
 * @throws {NotPrometheusTextError}
 */
export function parsePrometheusText(text: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed !== "" && !trimmed.startsWith("#")) samples.push(parseSample(trimmed));
  }
  return samples;
}

function parseSample(line: string): Sample {
  const [, name, labels = "", number = ""] = SAMPLE.exec(line) ?? [];
  const value = parseNumber(number);
  if (name === undefined || value === undefined) throw new NotPrometheusTextError(line);
  return { name, labels: parseLabels(labels.trim(), line), value };
}

function parseLabels(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new NotPrometheusTextError(line);
    labels[name] = value.replaceAll(/\\(.)/g, (all, character) => ESCAPED[character] ?? all);
  }
  return labels;
}

/** @returns `undefined` if the text is not a number */
function parseNumber(text: string): number | undefined {
  switch (text.toLowerCase()) {
    case "+inf":
    case "inf":
      return Infinity;
    case "-inf":
      return -Infinity;
    case "nan":
      return Number.NaN;
    default: {
      const value = Number(text);
      return text === "" || Number.isNaN(value) ? undefined : value;
    }
  }
}
