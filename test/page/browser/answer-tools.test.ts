import { describe, expect, it } from "vitest";
import type { TokenScore } from "../../../src/core/generation-event.js";
import {
  answers,
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";

describe.skipIf(!hasBrowser)("an edited answer", () => {
  useBrowser();

  it("is a second version, which the model continues from", async () => {
    const { url, engine } = await scriptedServer(
      answers({ parts: ["Paris."] }, { parts: ["Indeed."] }),
    );
    const { page } = await openPage(url);
    await ask(page, "Capital of Switzerland?");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Edit answer" }).click();
    const field = page.getByLabel("Edited answer", { exact: true });
    expect(await field.inputValue()).toBe("Paris.");
    await field.fill("Bern.");
    await field.press("Enter");
    await page.locator(".answer", { hasText: "Bern." }).waitFor();
    expect(await endedAnswers(page)).toEqual(["Bern."]);
    expect(await page.locator(".answer .branch-switch").innerText()).toContain("2 of 2");
    expect(engine.requests).toHaveLength(1);
    await ask(page, "Sure?");
    await endedAnswers(page, 2);
    expect(engine.requests.at(-1)?.prompt.messages[1]).toMatchObject({
      role: "assistant",
      content: "Bern.",
    });
    await page.getByRole("button", { name: "Previous version" }).first().click();
    await page.locator(".answer", { hasText: "Paris." }).waitFor();
  });
});

describe.skipIf(!hasBrowser)("the request of an answer", () => {
  useBrowser();

  it("is shown as JSON and as a command line, and answers in the same way", async () => {
    const { url } = await scriptedServer(({ prompt }) => ({
      parts: [`${prompt.messages.length} messages`],
    }));
    const opened = await openPage(url);
    const { page, context } = opened;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await ask(page, "First");
    await endedAnswers(page, 1);
    await ask(page, "Second");
    await endedAnswers(page, 2);
    await page.getByRole("button", { name: "Show request" }).nth(1).click();
    const dialog = page.getByRole("dialog", { name: "Request" });
    await dialog.getByText(`curl ${url}/v1/responses`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Copy JSON" }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied, { timeout: 10_000 }).toContain('"input"');
    const answer = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: await copied(),
    });
    expect(JSON.stringify(await answer.json())).toContain("3 messages");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expectQuiet(opened);
  });
});

/** Score of a token with a less probable alternative. */
function score(text: string, probability: number): TokenScore {
  const scored = (one: string, share: number) => ({
    id: 1,
    bytes: [...new TextEncoder().encode(one)],
    logProbability: Math.log(share),
  });
  const chosen = scored(text, probability);
  return { ...chosen, top: [chosen, scored("other", probability / 2)] };
}

describe.skipIf(!hasBrowser)("token probabilities", () => {
  useBrowser();

  it("are shown on hover and focus, of answers that have them", async () => {
    const { url, engine } = await scriptedServer(() => ({
      parts: [
        { text: "Hi", scores: [score("Hi", 0.8)] },
        { text: " you", scores: [score(" you", 0.25)] },
      ],
    }));
    const opened = await openPage(url);
    const { page } = opened;
    await page.getByRole("button", { name: "Chat settings" }).click();
    await page.getByLabel("Token probabilities").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await ask(page, "Hi");
    await endedAnswers(page);
    expect(engine.requests[0]?.topLogProbabilities).toBe(5);
    await page.getByRole("button", { name: "Token probabilities" }).click();
    const details = page.locator(".token-details");
    await details.getByText("80.0 %").first().waitFor();
    await details.getByText("40.0 %").waitFor();
    await page.getByRole("button", { name: "you" }).hover();
    await details.getByText("25.0 %").first().waitFor();
    await page.getByRole("button", { name: "you" }).focus();
    await page.keyboard.press("Home");
    await details.getByText("80.0 %").first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Token probabilities" }).click();
    expect(await endedAnswers(page)).toEqual(["Hi you"]);
    expectQuiet(opened);
  });

  it("have no button at other answers", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    expect(await page.getByRole("button", { name: "Token probabilities" }).count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)("a comparison", () => {
  useBrowser();

  it("shows another answer in a second column, which the chat can continue with", async () => {
    const { url, engine } = await scriptedServer(
      answers({ parts: ["Left."] }, { parts: ["Right."] }, { parts: ["More."] }),
    );
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Which way?");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Compare" }).click();
    const column = page.getByRole("region", { name: "Comparison" });
    await column.getByLabel("Temperature").fill("9");
    await column.getByText("Temperature: expected a number from 0 to 2, got 9.").waitFor();
    await column.getByLabel("Temperature").fill("0.3");
    await column.getByRole("button", { name: "Generate" }).click();
    await column.getByText("Right.").waitFor();
    expect(await page.locator(".answer", { hasText: "Left." }).count()).toBe(1);
    expect(engine.requests.at(-1)?.sampling).toMatchObject({ temperature: 0.3 });
    expect(engine.requests.at(-1)?.prompt.messages).toHaveLength(1);
    expect(await violationsOf(page)).toEqual([]);
    await column.getByRole("button", { name: "Continue with this answer" }).click();
    await column.waitFor({ state: "detached" });
    await page.locator(".answer", { hasText: "Right." }).waitFor();
    await ask(page, "And now?");
    await endedAnswers(page, 2);
    expect(engine.requests.at(-1)?.prompt.messages).toHaveLength(3);
    // The temperature of the comparison is not the chat's.
    expect(engine.requests.at(-1)?.sampling.temperature).toBeUndefined();
    expectQuiet(opened);
  });

  it("shares the settings of the chat with all versions", async () => {
    const { url } = await scriptedServer(answers({ parts: ["Left."] }, { parts: ["Right."] }));
    const { page } = await openPage(url);
    await ask(page, "Which way?");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.locator(".answer", { hasText: "Right." }).waitFor();
    await endedAnswers(page);
    await page.getByRole("button", { name: "Chat settings" }).click();
    const temperature = page.getByLabel("Temperature");
    await temperature.fill("0.7");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("status").getByText("Saved").waitFor();
    await page.getByRole("button", { name: "Previous version" }).click();
    await page.locator(".answer", { hasText: "Left." }).waitFor();
    expect(await temperature.inputValue()).toBe("0.7");
  });

  it("ends without a trace", async () => {
    const { url } = await scriptedServer();
    const { page } = await openPage(url);
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("button", { name: "End the comparison" }).click();
    await page.getByRole("region", { name: "Comparison" }).waitFor({ state: "detached" });
    expect(await page.locator(".branch-switch").count()).toBe(0);
  });
});
