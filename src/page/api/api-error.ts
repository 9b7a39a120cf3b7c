/** An error response of the server. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0: no response was received. */
  readonly status: number;
  /** Code from the server's error catalogue. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Extracts the error from a response body in any of the server's envelopes. */
export function toApiError(status: number, body: unknown): ApiError {
  const error = memberOf(body, "error");
  const message = textOf(memberOf(error, "message")) ?? textOf(error);
  const code = textOf(memberOf(error, "code")) ?? "unknown";
  return new ApiError(status, code, message ?? `The server answered with status ${status}.`);
}

/** Returns the message to show for any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
