import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { sendDeafly } from "../../bench/client/deaf-request.js";
import { hangUpMeasures } from "../../bench/scenarios/hang-ups.js";
import { rolesOf } from "../../bench/scenarios/hang-ups-round.js";
import { compareAnswers, knownAnswers } from "../../bench/scenarios/known-answers.js";
import { Random } from "../../models/random/random-choices.js";
import { record } from "./records.js";

const requests = ["a", "b"].map((content) => ({
  messages: [{ role: "user" as const, content }],
  maxTokens: 4,
}));
const [request] = requests;
if (request === undefined) throw new Error("no request");

describe("known answers", () => {
  it("are the answers that are equal in every undisturbed run", () => {
    const records = ["x", "y", "x", "z", "x", "y"].map((text) => record({ text }));
    const { known, unstable } = compareAnswers(requests, records);
    expect(known).toEqual([{ request, text: "x" }]);
    expect(unstable).toBe(1);
  });

  it("are requested one by one first, and then concurrently", async () => {
    let open = 0;
    const concurrency: number[] = [];
    const complete = async () => {
      concurrency.push(++open);
      await new Promise(setImmediate);
      open -= 1;
      return record({ text: "x" });
    };
    const { known } = await knownAnswers({ complete, clients: 2 }, requests);
    expect(known).toHaveLength(2);
    expect(concurrency.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...concurrency.slice(2))).toBe(2);
  });

  it("do not exist if an undisturbed request fails, or no answer is repeated", async () => {
    const complete = async () => record({ error: "died" });
    await expect(knownAnswers({ complete, clients: 1 }, requests)).rejects.toThrow(
      "an undisturbed request failed: died",
    );
    const different = ["1", "2", "3", "4"].map((text) => record({ text }));
    expect(() => compareAnswers(requests, different)).toThrow("no two undisturbed answers");
  });
});

describe("the clients of hang-ups", () => {
  it("are half closing, a tenth deaf, and the same for the same seed", () => {
    const roles = rolesOf(1000, new Random(1));
    const count = (role: string) => roles.filter((each) => each === role).length;
    expect([count("hangs up"), count("deaf"), count("survives")]).toEqual([500, 100, 400]);
    expect(rolesOf(1000, new Random(1))).toEqual(roles);
    expect(rolesOf(1000, new Random(2))).not.toEqual(roles);
  });

  it("are deaf when nothing that the server writes is ever read", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const accepted = once(server, "connection");
    const client = await sendDeafly(`http://127.0.0.1:${address.port}/v1`, "chat/completions", {
      a: 1,
    });
    const [connection] = (await accepted) as [Socket];
    onTestFinished(() => void connection.destroy());
    const [sent] = (await once(connection, "data")) as [Buffer];
    expect(sent.toString()).toMatch(/^POST \/v1\/chat\/completions HTTP\/1\.1\r\n.*\{"a":1\}$/s);
    await new Promise<void>((resolve) => {
      connection.write("read me", () => resolve());
    });
    // Event-loop iterations in which a reading client would have read it.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(client.bytesRead).toBe(0);
    // Unread bytes cause a reset, which is expected.
    connection.on("error", () => undefined);
    const gone = new Promise<void>((resolve) => connection.once("close", () => resolve()));
    client.destroy();
    await gone;
  });
});

describe("the measures of hang-ups", () => {
  it("count wrong answers, failures and remaining state", () => {
    const known = { request, text: "right" };
    const survivors = [
      { known, record: record({ text: "right" }) },
      { known, record: record({ text: "righ" }) },
      { known, record: record({ text: "", error: "HTTP 503" }) },
    ];
    const rounds = [
      { survivors, slotsHeld: 1, deafHeld: 0 },
      { survivors: [], slotsHeld: 2, deafHeld: 4 },
    ];
    expect(hangUpMeasures(rounds, 5)).toEqual({
      wrong: 1,
      failed: 1,
      survived: 3,
      unstable: 5,
      slotsHeld: 3,
      deafHeld: 4,
    });
  });
});
