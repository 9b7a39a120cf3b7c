import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { InputError } from "../../../models/command-line/input-error.js";
import { ask } from "../../../models/training/eval/ask.js";
import { evaluate } from "../../../models/training/eval/evaluate.js";
import type { Prompt } from "../../../models/training/eval/prompts.js";
import type { Answer } from "../../../models/training/eval/score.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { ALIAS } from "../../support/test-app.js";

const signal = new AbortController().signal;

const prompt = (content: string, more: Partial<Prompt> = {}): Prompt => ({
  skill: "copying",
  tools: [],
  thinking: false,
  messages: [{ role: "user", content }],
  expect: { kind: "equals", text: content },
  ...more,
});

async function serve(script: Script) {
  const engine = new ScriptedEngine(() => script);
  const app = await runApp(engine);
  onTestFinished(() => app.close());
  return { engine, baseUrl: `${app.url}/v1` };
}

/** A server with one fixed response. */
async function serveAnything(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

describe("a request to the evaluated server", () => {
  it("returns text, reasoning, calls and the finish reason", async () => {
    const call = { id: "call_1", name: "get_time", arguments: '{"city":"Oslo"}' };
    const { baseUrl } = await serve({
      parts: [{ reasoning: "Hm." }, "Wait.", { call }],
      ending: "tool-calls",
    });
    const tools = [{ name: "get_time", description: "", parameters: { city: "string" } }] as const;
    expect(await ask({ baseUrl, model: ALIAS }, prompt("time?", { tools }), signal)).toEqual({
      content: "Wait.",
      reasoning: "Hm.",
      calls: [{ name: "get_time", arguments: '{"city":"Oslo"}' }],
      finishReason: "tool_calls",
    });
  });

  it("uses temperature 0, puts the system prompt first, and enables thinking on request", async () => {
    const { engine, baseUrl } = await serve({ parts: ["ok"] });
    const given = prompt("Hi", { system: "Be brief.", thinking: true });
    await ask({ baseUrl, model: ALIAS }, given, signal);
    expect(engine.requests[0]).toMatchObject({
      sampling: { temperature: 0 },
      prompt: {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hi" },
        ],
        templateVariables: { enable_thinking: true },
      },
    });
  });

  it("fails with the names of the available models if the model is unknown", async () => {
    const { baseUrl } = await serve({ parts: ["ok"] });
    await expect(ask({ baseUrl, model: "other" }, prompt("Hi"), signal)).rejects.toThrow(
      new InputError(`--model: expected a model that the server has (${ALIAS}), got "other"`),
    );
  });

  it("fails with the expected form of the base URL if the route does not exist", async () => {
    const { baseUrl } = await serve({ parts: ["ok"] });
    const wrong = baseUrl.replace("/v1", "/elsewhere");
    await expect(ask({ baseUrl: wrong, model: ALIAS }, prompt("Hi"), signal)).rejects.toThrow(
      new InputError(
        `--base-url ${wrong}: expected an address such as http://127.0.0.1:8080/v1, got status 404`,
      ),
    );
  });

  it("fails if the server does not respond", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    await expect(ask({ baseUrl, model: ALIAS }, prompt("Hi"), signal)).rejects.toThrow(
      new InputError(
        `--base-url ${baseUrl}: expected a server that answers, got connect ECONNREFUSED 127.0.0.1:${port}`,
      ),
    );
  });

  it.each([
    [503, '{"error": {"message": "busy"}}', 'expected status 200, got 503: "busy"'],
    [500, "oops", 'expected status 200, got 500: "oops"'],
    [200, "<html>", 'expected a chat completion, got "<html>"'],
    [200, '{"choices": []}', 'expected a chat completion, got "{\\"choices\\": []}"'],
  ])("reports a response with status %i and body %s", async (status, body, reason) => {
    const baseUrl = await serveAnything(status, body);
    await expect(ask({ baseUrl, model: ALIAS }, prompt("Hi"), signal)).rejects.toThrow(
      new InputError(`${baseUrl}: ${reason}`),
    );
  });
});

describe("an evaluation", () => {
  const answer = (content: string): Answer => ({
    content,
    reasoning: "",
    calls: [],
    finishReason: "stop",
  });
  const prompts = ["a", "b", "c", "d", "e"].map((text) => prompt(text));
  const contentOf = ({ messages }: Prompt) => messages.at(-1)?.content ?? "";

  it("scores every answer in the order of the prompts, and reports progress", async () => {
    const progress: number[] = [];
    const results = await evaluate(prompts, {
      clients: 3,
      ask: async (given) => answer(contentOf(given) === "c" ? "x" : contentOf(given)),
      signal,
      onProgress: (done) => progress.push(done),
    });
    expect(results.map(({ prompt }) => prompt)).toEqual(prompts);
    expect(results.map(({ right }) => right)).toEqual([true, true, false, true, true]);
    expect(progress).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
  });

  it("keeps as many requests in flight as there are clients", async () => {
    let [underWay, most] = [0, 0];
    await evaluate(prompts, {
      clients: 2,
      ask: async (given) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        return answer(contentOf(given));
      },
      signal,
      onProgress: () => undefined,
    });
    expect(most).toBe(2);
  });

  it("stops at the first failure, and aborts the requests in flight", async () => {
    const ended: string[] = [];
    const evaluation = evaluate(prompts, {
      clients: 3,
      ask: (given, either) =>
        contentOf(given) === "b"
          ? Promise.reject(new InputError("refused"))
          : new Promise((_, reject) => {
              either.addEventListener("abort", () => {
                ended.push(contentOf(given));
                reject(either.reason);
              });
            }),
      signal,
      onProgress: () => undefined,
    });
    await expect(evaluation).rejects.toThrow(new InputError("refused"));
    expect(ended).toEqual(["a", "c"]);
  });
});
