/**
 * Media ranges in `Accept` that name HTML. Wildcards do not count: programs that send them receive
 * JSON.
 */
const HTML_RANGES = /^(text\/html|application\/xhtml\+xml)$/;

/**
 * Whether a client should receive the page: it accepts HTML explicitly, with at least the quality
 * of JSON (RFC 9110, section 12.5.1).
 * @param header the header `Accept`; absent: the client accepts anything
 */
export function acceptsPage(header: string | undefined): boolean {
  const ranges = (header ?? "").split(",").map(parseRange);
  const html = Math.max(0, ...ranges.filter(({ type }) => HTML_RANGES.test(type)).map(qualityOf));
  const json = ranges.find(({ type }) => type === "application/json");
  return html > 0 && html >= (json?.quality ?? 0);
}

interface MediaRange {
  /** In lower case. */
  readonly type: string;
  /** From 0 to 1. */
  readonly quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const qualityText = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const quality = qualityText === undefined ? 1 : Number(qualityText);
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

function qualityOf({ quality }: MediaRange): number {
  return quality;
}
