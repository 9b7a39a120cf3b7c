import { type WrittenBytes, writtenBy } from "../../servers/process-io.js";
import { warmUpOf } from "../load.js";
import { commonMeasures, commonValues } from "../reduce-answers.js";
import { meanBodyBytes } from "../requests.js";
import type { Workload } from "../workload.js";
import { writingLoad } from "../writing-load.js";

/** Acknowledged writes, and what the server wrote for each byte that the clients sent. */
export const writes: Workload = {
  name: "writes",
  sides: "all",
  clients: (asked) => asked,
  measures: {
    ...commonMeasures("create"),
    toDisk: { label: "create, to the disk", unit: "bytes per byte", better: "lower" },
    inCalls: { label: "create, in write calls", unit: "bytes per byte", better: "lower" },
  },
  targets: [{ measure: "rate", items: 10_000, clients: 256, of: "ratio", atLeast: 20 }],
  async run({ items, clients, seconds, serve, load }) {
    const { origin, pid } = await serve(items);
    const writing = writingLoad({ items, seconds }, { origin, clients });
    await load(warmUpOf(writing));
    const before = writtenBy(pid);
    const { answers, successes } = await load(writing);
    const after = writtenBy(pid);
    const sentBytes = successes * meanBodyBytes(writing.requests);
    return { ...commonValues(answers, clients), ...amplification(before, after, sentBytes) };
  },
};

/** Bytes that a server has written for each byte of the bodies that it acknowledged. */
export function amplification(before: WrittenBytes, after: WrittenBytes, sentBytes: number) {
  return {
    toDisk: (after.toDisk - before.toDisk) / sentBytes,
    inCalls: (after.inCalls - before.inCalls) / sentBytes,
  };
}
