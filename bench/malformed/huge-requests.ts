import type { Random } from "../../models/random/random-choices.js";
import { type RawRequest, type RequestParts, requestBytes } from "./raw-request.js";
import type { ValidRequest } from "./valid-bodies.js";

const KIB = 1024;

/** Request parts that exceed a limit. */
const huge: Readonly<Record<string, (random: Random) => Partial<RequestParts>>> = {
  "a header": (random) => ({ headers: [["x-a", "a".repeat(random.int(16, 256) * KIB)]] }),
  "many headers": (random) => ({
    headers: Array.from({ length: random.int(500, 4000) }, (_, number) => [`x-${number}`, "a"]),
  }),
  "the URL": (random) => ({ path: `/${"a".repeat(random.int(8, 100) * KIB)}` }),
  "the query": (random) => ({ path: `/v1/todos?${"limit=1&".repeat(random.int(100, 8000))}` }),
  "an id": (random) => ({ path: `/v1/todos/${"9".repeat(random.int(20, 8000))}` }),
  "the declared length": () => ({ headers: [["content-length", "1099511627776"]] }),
  "the depth of an array": (random) => ({ body: "[".repeat(random.int(1, 1000) * KIB) }),
  "the depth of an object": (random) => ({ body: '{"a":'.repeat(random.int(1, 200) * KIB) }),
  "the number of values": (random) => ({ body: `[${"0,".repeat(random.int(50, 1000) * KIB)}0]` }),
  "a number": (random) => ({ body: `{"a":${"9".repeat(random.int(5, 1000) * KIB)}}` }),
  "a text": (random) => ({ body: `{"model":"${"\\u0000".repeat(random.int(10, 500) * KIB)}"}` }),
  "white space": (random) => ({ body: `${" ".repeat(random.int(5, 3000) * KIB)}{}` }),
  "a body beyond the limit": () => ({ body: " ".repeat(5 * KIB * KIB) }),
};

/** Builds a request that exceeds one of the size limits. */
export function hugeRequest(
  { method, path, body }: ValidRequest,
  host: string,
  random: Random,
): RawRequest {
  const [name, partsOf] = random.pick(Object.entries(huge));
  const valid = { method, path, host, body: JSON.stringify(body) };
  const bytes = requestBytes({ ...valid, ...partsOf(random) });
  // A server that refuses before it has read the whole request may reset the connection.
  return { kind: "huge", name, bytes, duty: "answer or close", behind: "end" };
}
