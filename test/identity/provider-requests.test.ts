import { describe, expect, it } from "vitest";
import {
  askProvider,
  CooledRequest,
  type Fetch,
  ProviderError,
} from "../../src/identity/provider-requests.js";

const URL_OF_KEYS = "https://login.test/keys";

describe("a request to the provider", () => {
  it("has a time limit, and follows no redirect", async () => {
    const inits: RequestInit[] = [];
    const fetch: Fetch = async (_url, init) => {
      inits.push(init ?? {});
      return Response.json({ a: 1 });
    };
    const answer = await askProvider(fetch, URL_OF_KEYS, { method: "POST", body: "b" });
    expect(answer).toEqual({ status: 200, body: { a: 1 } });
    expect(inits).toMatchObject([{ method: "POST", body: "b", redirect: "error" }]);
    expect(inits[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it("does not read an answer beyond a mebibyte", async () => {
    let sent = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        sent++;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel() {
        isCancelled = true;
      },
    });
    await expect(askProvider(async () => new Response(body), URL_OF_KEYS)).rejects.toThrow(
      new ProviderError(`${URL_OF_KEYS}: expected at most 1048576 bytes`),
    );
    expect(isCancelled).toBe(true);
    expect(sent).toBeLessThan(25);
  });

  it.each(["", "[1]", '"text"', "<!doctype html>"])(
    "has no fields without an object: %j",
    async (text) => {
      const answer = await askProvider(async () => new Response(text), URL_OF_KEYS);
      expect(answer.body).toEqual({});
    },
  );
});

describe("a request with a cooldown", () => {
  function prepare() {
    const clock = { ms: 0 };
    const attempts: ((error?: Error) => void)[] = [];
    const request = new CooledRequest(
      () =>
        new Promise<number>((resolve, reject) => {
          attempts.push((error) =>
            error === undefined ? resolve(attempts.length) : reject(error),
          );
        }),
      () => clock.ms,
    );
    return { clock, attempts, request };
  }

  it("is shared while it is pending, and sent again afterwards", async () => {
    const { attempts, request } = prepare();
    const both = [request.send(), request.send()];
    attempts[0]?.();
    expect(await Promise.all(both)).toEqual([1, 1]);
    const next = request.send();
    attempts[1]?.();
    expect(await next).toBe(2);
  });

  it("is not repeated for 30 seconds after a failure", async () => {
    const { clock, attempts, request } = prepare();
    const failed = request.send();
    attempts[0]?.(new Error("down"));
    await expect(failed).rejects.toThrow("down");
    clock.ms = 29_999;
    await expect(request.send()).rejects.toThrow("down");
    expect(attempts).toHaveLength(1);
    clock.ms = 30_000;
    const next = request.send();
    attempts[1]?.();
    expect(await next).toBe(2);
  });
});
