import { InputError } from "../../models/command-line/input-error.js";
import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { succeeded } from "./reductions.js";
import type { Load } from "./scenario.js";

/** How often each request is asked while the others are, too. */
const ROUNDS_TOGETHER = 3;

/** A request, and what an undisturbed server answers. */
export interface KnownAnswer {
  readonly request: ChatRequest;
  readonly text: string;
}

/** Requests whose answers are known, and how many others were not fit for that. */
export interface KnownAnswers {
  readonly known: readonly KnownAnswer[];
  /** Answers that differed between two undisturbed runs. */
  readonly unstable: number;
}

/**
 * Asks each request alone, and then several times among the others. Floating-point sums depend on what
 * else is in a batch, so that once in a while a token differs: a request whose undisturbed answers are not
 * all the same is left out, since it could not tell a fault from that.
 * @throws {InputError} when a request fails, or no answer is known.
 */
export async function knownAnswers(
  { complete, clients }: Pick<Load, "complete" | "clients">,
  requests: readonly ChatRequest[],
): Promise<KnownAnswers> {
  const ask = async (number: number): Promise<RequestRecord> => {
    const request = requests[number % requests.length];
    if (request === undefined) throw new RangeError("knownAnswers needs requests");
    const record = await complete(request);
    if (record.error === undefined) return record;
    throw new InputError(`an undisturbed request failed: ${record.error}`);
  };
  const alone = await inParallel(requests.length, 1, ask);
  const together = await inParallel(ROUNDS_TOGETHER * requests.length, clients, ask);
  return compareAnswers(requests, [...alone, ...together]);
}

/**
 * The requests whose answers are all the same.
 * @param records of one round after the other.
 */
export function compareAnswers(
  requests: readonly ChatRequest[],
  records: readonly RequestRecord[],
): KnownAnswers {
  const texts = succeeded(records).map(({ text }) => text);
  const known = requests.flatMap((request, number) => {
    const answers = new Set(texts.filter((_, index) => index % requests.length === number));
    const [text] = answers;
    return answers.size === 1 && text !== undefined && text !== "" ? [{ request, text }] : [];
  });
  if (known.length > 0) return { known, unstable: requests.length - known.length };
  throw new InputError("no two undisturbed answers to the same request are alike");
}
