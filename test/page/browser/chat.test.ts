import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import {
  answers,
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";
import { deferred, type ScriptedPart } from "../../support/scripted-engine.js";

describe.skipIf(!hasBrowser)("a conversation on the page", () => {
  useBrowser();

  it("shows an answer as it streams, with its metrics", async () => {
    const gate = deferred();
    const parts = ["I am ", "a model.", " *Really*."];
    const before = (index: number) => (index === 2 ? gate.promise : undefined);
    const { url } = await scriptedServer(() => ({ parts, before }));
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Who are you?");
    await page.locator(".answer", { hasText: "I am a model." }).waitFor();
    expect(await page.locator(".answer").getAttribute("aria-busy")).toBe("true");
    gate.resolve();
    expect(await endedAnswers(page)).toEqual(["I am a model. Really."]);
    expect(await page.locator(".answer em").innerText()).toBe("Really");
    expect(await page.locator(".answer .statistics").innerText()).toMatch(
      /^scripted · [\d,.]+ tokens\/s · \d+ of 100,000 tokens of context$/,
    );
    expect(await page.getByRole("link", { name: "Who are you?" }).count()).toBe(1);
    expectQuiet(opened);
  });

  it("keeps the partial answer when it is stopped", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["Once upon"], ending: "never" }));
    const { page } = await openPage(url);
    await ask(page, "A story, please");
    await page.locator(".answer", { hasText: "Once upon" }).waitFor();
    await page.getByRole("button", { name: "Stop generating" }).click();
    expect(await endedAnswers(page)).toEqual(["Once upon"]);
    expect(await page.locator(".answer-end").innerText()).toContain("Stopped.");
    await page.reload();
    expect(await endedAnswers(page)).toEqual(["Once upon"]);
  });

  it("stores a regenerated answer in a branch, and shows both versions", async () => {
    const { url } = await scriptedServer(answers({ parts: ["One."] }, { parts: ["Two."] }));
    const { page } = await openPage(url);
    await ask(page, "Say a number");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.locator(".answer", { hasText: "Two." }).waitFor();
    expect(await endedAnswers(page)).toEqual(["Two."]);
    expect(await page.locator(".answer .branch-switch").innerText()).toContain("2 of 2");
    await page.getByRole("button", { name: "Previous version" }).click();
    await page.locator(".answer", { hasText: "One." }).waitFor();
    // All branches share one entry.
    expect(await page.locator(".conversation-list .entry").count()).toBe(1);
    await page.reload();
    await page.getByRole("button", { name: "Next version" }).click();
    await page.locator(".answer", { hasText: "Two." }).waitFor();
  });

  it("stores an edited question in a branch, with all previous turns", async () => {
    const { url, engine } = await scriptedServer(({ prompt }) => ({
      parts: [`${prompt.messages.length} messages`],
    }));
    const { page } = await openPage(url);
    await ask(page, "First");
    await endedAnswers(page, 1);
    await ask(page, "Second");
    await endedAnswers(page, 2);
    await page.getByRole("button", { name: "Edit message" }).nth(1).click();
    await page.getByLabel("Edited message", { exact: true }).fill("Third");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.locator(".question", { hasText: "Third" }).waitFor();
    expect(await endedAnswers(page, 2)).toEqual(["1 messages", "3 messages"]);
    const last = engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
    expect(JSON.stringify(last)).toContain("First");
    expect(JSON.stringify(last)).not.toContain("Second");
  });

  it("has a button to copy an answer", async () => {
    const { url } = await scriptedServer(() => ({ parts: ["**Bold**"] }));
    const { page, context } = await openPage(url);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Copy answer" }).click();
    await page.getByRole("status").getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("**Bold**");
  });

  it("collapses reasoning", async () => {
    const parts: ScriptedPart[] = [{ reasoning: "Let me think." }, "Done."];
    const { url } = await scriptedServer(() => ({ parts }));
    const { page } = await openPage(url);
    await ask(page, "Think");
    await endedAnswers(page);
    const thoughts = page.getByText("Let me think.");
    expect(await thoughts.isVisible()).toBe(false);
    await page.getByText("Thoughts").click();
    expect(await thoughts.isVisible()).toBe(true);
  });

  it("shows tool calls with their arguments and results", async () => {
    const call = { id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
    const { url, engine } = await scriptedServer(
      answers({ parts: [{ call }], ending: "tool-calls" }, { parts: ["Sunny in Bern."] }),
    );
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Chat settings" }).click();
    const tools = page.getByLabel("Tools (JSON)");
    await tools.fill("{");
    await page.getByText("Expected JSON: an array of tools.").waitFor();
    await tools.fill('[{"type":"function","name":"weather","parameters":{"type":"object"}}]');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "How is the weather in Bern?");
    const card = page.getByRole("region", { name: "Tool call: weather" });
    await card.getByText('"city"').waitFor();
    await card.getByLabel("Tool result").fill('{"sky":"clear"}');
    await card.getByRole("button", { name: "Send result" }).click();
    await page.locator(".answer", { hasText: "Sunny in Bern." }).waitFor();
    expect(await card.innerText()).toContain('"sky"');
    expect(JSON.stringify(engine.requests.at(-1)?.prompt.messages)).toContain("clear");
  });

  it("applies the system prompt and the sampling options from its settings", async () => {
    const { url, engine } = await scriptedServer();
    const { page } = await openPage(url);
    await page.getByRole("button", { name: "Chat settings" }).click();
    await page.getByLabel("System prompt", { exact: true }).fill("Answer in rhymes.");
    await page.getByLabel("Temperature").fill("0.5");
    await page.getByLabel("Top k").fill("7");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "Hi");
    await endedAnswers(page);
    const [request] = engine.requests;
    expect(JSON.stringify(request?.prompt.messages[0])).toContain("Answer in rhymes.");
    expect(request?.sampling).toMatchObject({ temperature: 0.5, topK: 7 });
    await page.reload();
    await page.getByRole("button", { name: "Chat settings" }).click();
    expect(await page.getByLabel("Temperature").inputValue()).toBe("0.5");
  });

  it("begins with the default settings", async () => {
    const { url, engine } = await scriptedServer();
    const { page } = await openPage(url);
    const temperature = page.getByLabel("Temperature");
    const saveTemperature = async (value: string) => {
      await temperature.fill(value);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("status").getByText("Saved").waitFor();
    };
    await page.getByRole("button", { name: "Chat settings" }).click();
    await saveTemperature("0.5");
    await ask(page, "First");
    await endedAnswers(page);
    await saveTemperature("0.7");
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("How can I help?").waitFor();
    expect(await temperature.inputValue()).toBe("");
    await page.reload();
    await ask(page, "Second");
    await page.locator(".question", { hasText: "Second" }).waitFor();
    await endedAnswers(page);
    const temperatures = engine.requests.map(({ sampling }) => sampling.temperature);
    expect(temperatures).toEqual([0.5, undefined]);
  });

  it("shows the server's error message with a retry button", async () => {
    const error = new GgufdError("server_overloaded", "The queue is full: 100 requests wait.");
    const { url } = await scriptedServer(
      answers({ parts: [], ending: error }, { parts: ["Now."] }),
    );
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await page.getByRole("alert").getByText("The queue is full: 100 requests wait.").waitFor();
    expect(await page.locator(".question").innerText()).toContain("Hi");
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await endedAnswers(page)).toEqual(["Now."]);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("keeps a question that could not be sent", async () => {
    const { url } = await scriptedServer();
    const { page, context } = await openPage(url);
    await context.setOffline(true);
    await ask(page, "A long question");
    // The banner of the page may report the lost connection at the same time.
    await page.locator("form").getByText("cannot be reached").waitFor();
    expect(await page.getByLabel("Your message").inputValue()).toBe("A long question");
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    expect(await endedAnswers(page)).toEqual(["Hello!"]);
    expect(await page.getByLabel("Your message").inputValue()).toBe("");
  });
});
