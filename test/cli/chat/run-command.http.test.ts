import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { CtrlC, type RunArguments, runRun } from "../../../src/cli/chat/run-command.js";
import { loadConfig } from "../../../src/config/load-config.js";
import { GgufdError } from "../../../src/core/errors.js";
import { eventually } from "../../support/eventually.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { textIn } from "../../support/text-in.js";
import { scriptedTerminal, visible } from "./scripted-terminal.js";

const { config } = loadConfig({ flags: {}, environment: {} });

/** Answers of the scripted model, by the text of the last message. */
const scripts: Readonly<Record<string, Script>> = {
  "Who are you?": { parts: [{ reasoning: "Hm." }, "I am ", "a script."] },
  "Be long.": { parts: ["So"], ending: "length" },
  "Never end.": { parts: ["Once ", "upon"], ending: "never" },
  "Fail.": { parts: [], ending: new GgufdError("internal_error", "It failed.") },
};

const engine = new ScriptedEngine(({ prompt }) => {
  const last = textIn(prompt.messages.at(-1)?.content);
  return scripts[last] ?? { parts: [`You said ${last}`] };
});
const { url } = await serve(engine, { keyLines: ["secret scopes=inference"] });

type Options = Partial<RunArguments> & { readonly apiKey?: string };

function run({ apiKey = "secret", ...options }: Options, isTTY = true) {
  const terminal = scriptedTerminal({ isTTY });
  const ctrlC = new CtrlC();
  const all: RunArguments = {
    ...{ model: undefined, words: [], system: undefined, maxTokens: undefined },
    ...{ temperature: undefined, output: "text", config, downloadConsent: "after-asking" },
    daemon: { selection: "named", url, apiKey },
    ...options,
  };
  const { stdin, stdout, stderr } = terminal;
  const ended = runRun(all, terminal, ctrlC);
  const type = (keys: string) => stdin.write(keys);
  return { ended, type, stdin, stdout, stderr, ctrlC };
}

const roles = () =>
  engine.requests.at(-1)?.prompt.messages.map(({ role, content }) => `${role}: ${content}`);

describe("a prompt on the command line", () => {
  it("is answered once", async () => {
    const { ended, stdout, stderr } = run({
      ...{ model: "scripted", words: ["Who", "are you?"], system: "Be kind." },
      ...{ maxTokens: 7, temperature: 0.5 },
    });
    expect(await ended).toBe(0);
    expect(stdout.text).toBe("\u001b[2mHm.\u001b[22m\n\nI am a script.\n");
    expect(stderr.text).toBe("");
    expect(roles()).toEqual(["system: Be kind.", "user: Who are you?"]);
    expect(engine.requests.at(-1)).toMatchObject({
      stopping: { maxTokens: 7 },
      sampling: { temperature: 0.5 },
    });
  });

  it("is combined with standard input", async () => {
    const { ended, stdin, stdout } = run({ words: ["Sum", "up:"] }, false);
    stdin.end("one\ntwo\n");
    expect(await ended).toBe(0);
    expect(roles()).toEqual(["user: Sum up:\n\none\ntwo"]);
    expect(stdout.text).toBe("You said Sum up:\n\none\ntwo\n");
  });

  it("may come from standard input alone, and the answer excludes reasoning", async () => {
    const { ended, stdin, stdout } = run({}, false);
    stdin.end("Who are you?\n");
    await ended;
    expect(stdout.text).toBe("I am a script.\n");
  });

  it("is answered in JSON with --json", async () => {
    const { ended, stdout } = run({ words: ["Who are you?"], output: "json" });
    await ended;
    expect(stdout.text).toMatch(/^.*\n$/);
    expect(JSON.parse(stdout.text)).toMatchObject({
      ...{ model: "scripted", text: "I am a script.", reasoning: "Hm." },
      ...{ finish_reason: "stop", usage: { completion_tokens: 3 } },
    });
  });

  it("is interrupted by Ctrl-C", async () => {
    const { ended, stdout, ctrlC } = run({ words: ["Never end."] });
    await eventually(() => expect(stdout.text).toBe("Once upon"));
    ctrlC.press();
    expect(await ended).toBe(130);
    expect(stdout.text).toBe("Once upon\n");
    await eventually(() => expect(engine.cancelled).toHaveLength(1));
  });
});

test.each([
  [
    { words: [], output: "json" },
    true,
    "--json: expected a prompt, as arguments after the model or on standard input",
  ],
  [{ words: [] }, false, "expected a prompt, as arguments after the model or on standard input"],
  [
    { model: "other", words: ["x"] },
    true,
    "The model `other` does not exist; this server serves `scripted`.",
  ],
  [{ words: ["x"], apiKey: "wrong" }, true, `${url} rejected this API key`],
  [{ words: ["Fail."] }, true, "It failed."],
] as const)("%j fails with a one-line error", async (options, isTTY, message) => {
  const { ended, stdin } = run(options, isTTY);
  stdin.end();
  await expect(ended).rejects.toThrow(message);
});

test("a model that the local daemon lacks can be downloaded", async () => {
  vi.stubEnv("XDG_DATA_HOME", "/nowhere");
  vi.stubEnv("HOME", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());
  const daemon = { selection: "configured", url, apiKey: "secret" } as const;
  const { ended, stdin } = run({ model: "script", words: ["x"], daemon }, false);
  stdin.end();
  await expect(ended).rejects.toThrow(
    "The model `script` does not exist; the nearest name is `scripted`; this server serves `scripted`; to download it: ggufd pull ollama:script, or --yes",
  );
});

test("a daemon given by --url must be reachable", async () => {
  const daemon = { selection: "named", url: "http://127.0.0.1:1" } as const;
  const terminal = scriptedTerminal({ isTTY: true });
  const options = {
    words: ["x"],
    output: "text",
    daemon,
    config,
    downloadConsent: "after-asking",
  } as const;
  const none = {
    model: undefined,
    system: undefined,
    maxTokens: undefined,
    temperature: undefined,
  };
  await expect(runRun({ ...none, ...options }, terminal, new CtrlC())).rejects.toThrow(
    "no daemon answers at http://127.0.0.1:1",
  );
});

describe("an interactive conversation", () => {
  it("keeps its messages until it is cleared", async () => {
    const { ended, type, stdout } = run({});
    type("one\r");
    await eventually(() => expect(stdout.text).toContain("You said one\n"));
    type("/system Be kind.\rtwo\r");
    await eventually(() => expect(stdout.text).toContain("You said two\n"));
    expect(roles()).toEqual([
      ...["system: Be kind.", "user: one", "assistant: You said one", "user: two"],
    ]);
    type("/clear\rthree\r");
    await eventually(() => expect(stdout.text).toContain("You said three\n"));
    expect(roles()).toEqual(["system: Be kind.", "user: three"]);
    type("/system\r/help\r/nothing\r/exit\r");
    expect(await ended).toBe(0);
    const shown = visible(stdout.text);
    expect(shown).toContain("\nBe kind.\n");
    expect(shown).toContain("/clear        clear the conversation");
    expect(shown).toContain("/nothing: unknown command");
  });

  it("stops answers on Ctrl-C and continues with the partial text", async () => {
    const { ended, type, stdout } = run({});
    type("Never end.\r");
    await eventually(() => expect(stdout.text).toContain("Once upon"));
    type("\u0003");
    type("on\r");
    await eventually(() => expect(stdout.text).toContain("You said on\n"));
    expect(roles()).toEqual(["user: Never end.", "assistant: Once upon", "user: on"]);
    type("\u0004");
    expect(await ended).toBe(0);
  });

  it("prints errors and continues", async () => {
    const { ended, type, stdout, stderr } = run({});
    type("Fail.\r");
    await eventually(() => expect(stderr.text).toContain("ggufd: It failed.\n"));
    type("Be long.\r");
    await eventually(() => expect(stdout.text).toContain("So\n(The limit of tokens ended"));
    expect(roles()).toEqual(["user: Be long."]);
    type("\u0003\u0003");
    expect(await ended).toBe(0);
  });
});
