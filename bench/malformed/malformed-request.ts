import type { Random } from "../../models/random/random-choices.js";
import { brokenFraming } from "./broken-framing.js";
import { brokenLines } from "./broken-lines.js";
import { hugeRequest } from "./huge-requests.js";
import { mutateJson } from "./mutate-json.js";
import { type RawRequest, requestBytes } from "./raw-request.js";
import { type ValidRequest, validRequests } from "./valid-bodies.js";
import { wronglyEncoded } from "./wrong-encodings.js";

/** Server and model that a request is sent to. */
export interface Destination {
  /** `HOST:PORT` */
  readonly host: string;
  readonly model: string;
}

/** Draws a malformed request; half of all requests are mutated JSON. */
export function malformedRequest({ host, model }: Destination, random: Random): RawRequest {
  const valid = random.pick(validRequests(model));
  const make = random.weighted<() => RawRequest>([
    [50, () => mutated(valid, host, random)],
    [15, () => wronglyEncoded(valid, host, random)],
    [12, () => truncated(valid, host, random)],
    [12, () => brokenFraming(valid, host, random)],
    [8, () => brokenLines(host, random)],
    [3, () => hugeRequest(valid, host, random)],
  ]);
  return make();
}

/** Builds an incomplete request whose client waits without sending the rest. */
export function idleRequest({ host, model }: Destination, random: Random): RawRequest {
  const { bytes, name } = truncated(random.pick(validRequests(model)), host, random);
  return { kind: "idle", name, bytes, duty: "answer or close", behind: "wait" };
}

function mutated({ method, path, body }: ValidRequest, host: string, random: Random): RawRequest {
  const { text, mutation } = mutateJson(body, random);
  const bytes = requestBytes({ method, path, host, body: text });
  return { kind: "json", name: `${path}: ${mutation}`, bytes, duty: "answer", behind: "wait" };
}

/** Builds an incomplete request after which the client ends the connection. */
function truncated({ method, path, body }: ValidRequest, host: string, random: Random): RawRequest {
  const whole = requestBytes({ method, path, host, body: JSON.stringify(body) });
  const length = random.int(1, whole.length - 1);
  return {
    kind: "truncated",
    name: `${path}: cut off at ${length}`,
    bytes: whole.subarray(0, length),
    duty: "answer or close",
    behind: "end",
  };
}
