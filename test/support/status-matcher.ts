import { expect } from "vitest";

/** An answer of `inject()`, or of a client that has read it to its end. */
export interface ReadAnswer {
  readonly statusCode: number;
  readonly body: string;
}

declare module "vitest" {
  interface Matchers<T> {
    /**
     * The answer has this status; if not, the message shows the beginning of its body, where the error is.
     * To be awaited for an answer of `fetch()`, whose body is read then.
     */
    toHaveStatus(status: number): T extends Response ? Promise<void> : void;
  }
}

const SHOWN_CHARACTERS = 500;

expect.extend({
  toHaveStatus(answer: ReadAnswer | Response, expected: number) {
    const actual = answer instanceof Response ? answer.status : answer.statusCode;
    const pass = actual === expected;
    const isNegated = this.isNot === true;
    const result = (body: string) => ({
      pass,
      actual,
      expected,
      message: () =>
        `expected status ${isNegated ? "other than " : ""}${expected}, got ${actual}: ${body}`,
    });
    if (pass !== isNegated) return result("");
    return answer instanceof Response
      ? beginningOf(answer).then(result)
      : result(shortened(answer.body));
  },
});

/** The first chunk: a stream may have no end. */
async function beginningOf(answer: Response): Promise<string> {
  if (answer.bodyUsed) return "(a body that was read before)";
  const reader = answer.clone().body?.getReader();
  const chunk = await reader?.read();
  // A copy is cancelled only together with the original.
  void reader?.cancel();
  return shortened(new TextDecoder().decode(chunk?.value));
}

function shortened(body: string): string {
  return body.length > SHOWN_CHARACTERS ? `${body.slice(0, SHOWN_CHARACTERS)}…` : body;
}
