import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import type { ServerMemory } from "../servers/process-memory.js";
import type { Load } from "./scenario.js";

export interface SoakRounds {
  readonly rounds: number;
  readonly requestsPerRound: number;
  readonly requestOf: (number: number) => ChatRequest;
  /** Names in the samples. */
  readonly labels: { readonly requests: string; readonly engine: string };
}

/** Sends requests in rounds, and reads the memory before the first one and after each, while the server is idle. */
export async function soakInRounds(
  { clients, complete, memory, recordSample }: Load,
  { rounds, requestsPerRound, requestOf, labels }: SoakRounds,
): Promise<{ records: readonly RequestRecord[]; readings: readonly ServerMemory[] }> {
  const records: RequestRecord[] = [];
  const readMemory = () => {
    const reading = memory();
    recordSample({
      [labels.requests]: records.length,
      "server MB": megabytes(reading.server),
      [labels.engine]: megabytes(reading.engine),
    });
    return reading;
  };
  const readings = [readMemory()];
  for (let round = 0; round < rounds; round++) {
    const before = records.length;
    const answers = await inParallel(requestsPerRound, clients, (number) =>
      complete(requestOf(before + number)),
    );
    records.push(...answers);
    readings.push(readMemory());
  }
  return { records, readings };
}

/** Rounded to a tenth. */
export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
