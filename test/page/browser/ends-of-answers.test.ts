import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import {
  answers,
  ask,
  endedAnswers,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { deferred, type ScriptedPart } from "../../support/scripted-engine.js";

describe.skipIf(!hasBrowser)("the end of an answer", () => {
  useBrowser();

  it("offers to continue a stopped answer, which becomes one text", async () => {
    const { url, engine } = await scriptedServer(
      answers(
        { parts: ["Once up"], ending: "never" },
        { parts: ["on a time."] },
        { parts: ["Yes."] },
      ),
    );
    const { page } = await openPage(url);
    await ask(page, "A story, please");
    await page.locator(".answer", { hasText: "Once up" }).waitFor();
    await page.getByRole("button", { name: "Stop generating" }).click();
    await page.locator(".answer-end", { hasText: "Stopped." }).waitFor();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.locator(".answer", { hasText: "Once upon a time." }).waitFor();
    expect(await endedAnswers(page)).toEqual(["Once upon a time."]);
    expect(engine.requests.at(-1)?.prompt.finalMessage).toBe("continued");
    await page.reload();
    expect(await endedAnswers(page)).toEqual(["Once upon a time."]);
    expect(await page.locator(".answer-end").count()).toBe(0);
    await ask(page, "Really?");
    await endedAnswers(page, 2);
    expect(engine.requests.at(-1)?.prompt.messages[1]).toMatchObject({
      content: "Once upon a time.",
    });
  });

  it("names the token limit, and offers to continue", async () => {
    const { url } = await scriptedServer(
      answers({ parts: ["One, "], ending: "length" }, { parts: ["two."] }),
    );
    const { page } = await openPage(url);
    await ask(page, "Count");
    await page.getByText("The maximum number of tokens was reached.").waitFor();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.locator(".answer", { hasText: "One, two." }).waitFor();
  });

  it("says that the context is full, and continues in a new chat with a summary", async () => {
    const { url, engine } = await scriptedServer(
      ({ prompt: { messages } }) => {
        if (JSON.stringify(messages.at(-1)).includes("Summarise")) return { parts: ["A fox."] };
        if (messages[0]?.role === "system") return { parts: ["The end."] };
        if (messages.length === 1) return { parts: ["Good."] };
        return { parts: ["Once"], ending: "length" };
      },
      {},
      { contextSize: 1000 },
    );
    const { page } = await openPage(url);
    // In the scripted engine, each character of the prompt is a token.
    const question = "Tell me a tale.";
    await ask(page, "x".repeat(998 - question.length - "Good.".length));
    await endedAnswers(page);
    await ask(page, question);
    await page.getByText("The context of 1,000 tokens is full.").waitFor();
    await page.getByRole("button", { name: "Continue in a new chat with a summary" }).click();
    await page.locator(".answer", { hasText: "The end." }).waitFor();
    const messages = engine.requests.at(-1)?.prompt.messages;
    expect(messages).toMatchObject([
      { role: "system", content: "Summary of the conversation so far:\n\nA fox." },
      { role: "user", content: question },
    ]);
    // The former conversation stays.
    expect(await page.locator(".conversation-list .entry").count()).toBe(2);
  });

  it("offers the summary for a question that does not fit into the context", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hi."] }), {}, { contextSize: 1000 });
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await ask(page, "x".repeat(1000));
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Continue in a new chat with a summary" }).waitFor();
  });

  it("replaces a failed answer in place", async () => {
    const error = new GgufdError("internal_error", "It broke.");
    const { url } = await scriptedServer(
      answers({ parts: ["Once up"], ending: error }, { parts: ["Once upon a time."] }),
    );
    const { page } = await openPage(url);
    await ask(page, "A story, please");
    await page.getByRole("alert").getByText("It broke.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(1);
    await page.reload();
    await page.getByRole("alert").getByText("It broke.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".answer", { hasText: "Once upon a time." }).waitFor();
    expect(await endedAnswers(page)).toEqual(["Once upon a time."]);
    expect(await page.getByRole("alert").count()).toBe(0);
    // In place: there is no second version.
    expect(await page.locator(".branch-switch").count()).toBe(0);
  });

  it("says that an answer is empty", async () => {
    const { url } = await scriptedServer(answers({ parts: [] }, { parts: ["Now."] }));
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await page.getByRole("alert").getByText("The answer is empty.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await endedAnswers(page)).toEqual(["Now."]);
  });

  it("says that the model ended an answer after its thoughts", async () => {
    const { url } = await scriptedServer(() => ({ parts: [{ reasoning: "Hm." }] }));
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await page.getByText("The answer is empty: the model ended it after its thoughts.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it("says that a tool call waits for its result, which Enter sends", async () => {
    const call = { id: "call_1", name: "now", arguments: "{}" };
    const { url } = await scriptedServer(
      answers({ parts: [{ call }], ending: "tool-calls" }, { parts: ["Noon."] }),
    );
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Chat settings" }).click();
    await page.getByLabel("Tools (JSON)").fill('[{"type":"function","name":"now"}]');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "What time is it?");
    await page.getByText("The answer waits for the result of a tool call.").waitFor();
    await page.getByLabel("Tool result").fill("12:00");
    await page.getByLabel("Tool result").press("Enter");
    await page.locator(".answer", { hasText: "Noon." }).waitFor();
  });

  it("has the duration of the thoughts", async () => {
    const gate = deferred();
    const parts: ScriptedPart[] = [{ reasoning: "Let me think." }, "Done."];
    const before = (index: number) => (index === 1 ? gate.promise : undefined);
    const { url } = await scriptedServer(() => ({ parts, before }));
    const { page } = await openPage(url);
    await ask(page, "Think");
    await page.getByText(/^Thinking… [1-9]\d* s$/).waitFor();
    gate.resolve();
    await endedAnswers(page);
    await page.getByText(/^Thought for [1-9]\d* s$/).waitFor();
  });
});

describe.skipIf(!hasBrowser)("the context meter", () => {
  useBrowser();

  it("shows the tokens used while a question is typed, and warns near the end", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Hello!"] }), {}, { contextSize: 1000 });
    const { page } = await openPage(url);
    const meter = page.locator(".context-meter");
    expect(await meter.count()).toBe(0);
    await ask(page, "Hi");
    await endedAnswers(page);
    await meter.getByText("3 of 1,000 tokens", { exact: true }).waitFor();
    const composer = page.getByLabel("Your message");
    await composer.fill("x".repeat(400));
    await meter.getByText("about 109 of 1,000 tokens").waitFor();
    await composer.fill("x".repeat(3200));
    await meter.getByText("The context is nearly full.").waitFor();
    await composer.fill("x".repeat(4000));
    await meter.getByText("The message does not fit into the context.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
