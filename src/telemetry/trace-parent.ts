/** The client's span that a request belongs to. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Fields of version 00; later versions may have more. */
const FORMAT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const INVALID_VERSION = "ff";
const SAMPLED = 0x01;

/**
 * Parses the header `traceparent` (W3C Trace Context, section 3.2).
 * @returns `undefined` if the header is absent or invalid, in which case the specification demands
 *   that it is ignored
 */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version = "", traceId = "", spanId = "", flags = "", extraFields] =
    FORMAT.exec(header ?? "") ?? [];
  if (version === "" || version === INVALID_VERSION) return undefined;
  if (version === "00" && extraFields !== undefined) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

export function printTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

function isZero(id: string): boolean {
  return /^0+$/.test(id);
}
