import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstCertificate } from "../support/certificates.js";
import {
  ask,
  builtPage,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  useBrowser,
} from "../support/page-in-browser.js";
import { SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const BROWSER = { accept: "text/html" };

/** A schema whose answer takes seconds. */
const LONG_TEXT = {
  type: "object",
  properties: { text: { type: "string", minLength: 4_000 } },
  required: ["text"],
  additionalProperties: false,
};

describe.skipIf(!hasBrowser)("the web page of a daemon with the shipped model", () => {
  useBrowser();

  it(
    "keeps conversations across a reload, in another browser, and after the daemon was killed",
    async () => {
      const folder = temporaryFolder();
      const files = ["--todos", join(folder, "todos.json")];
      const first = await start(files);
      const opened = await openPage(first.url);
      const { page } = opened;
      await ask(page, "Hello! Who are you?");
      const [answer = ""] = await endedAnswers(page);
      expect(answer).toContain("ggufd");
      expect(await page.locator(".statistics").innerText()).toMatch(
        /^ggufd-mini · [\d.,]+ tokens\/s · \d+ of 2,048 tokens of context$/,
      );
      await page.reload();
      expect(await endedAnswers(page)).toEqual([answer]);
      const { hash } = new URL(page.url());
      const { page: other } = await openPage(first.url);
      await other.getByRole("link", { name: "Hello! Who are you?" }).click();
      expect(await endedAnswers(other)).toEqual([answer]);
      expectQuiet(opened);
      first.process.kill("SIGKILL");
      await first.exited;
      const second = await start(files);
      const { page: later } = await openPage(second.url);
      await later.goto(`${second.url}/${hash}`);
      expect(await endedAnswers(later)).toEqual([answer]);
      await ask(later, "Say that again.");
      expect(await endedAnswers(later, 2)).toHaveLength(2);
    },
    SEVERAL_STARTS,
  );

  it(
    "keeps a partial answer when the daemon is killed, reports the failure, and offers a retry",
    async () => {
      const files = ["--todos", join(temporaryFolder(), "todos.json")];
      const first = await start(files);
      const opened = await openPage(first.url);
      const { page } = opened;
      // Long enough to be in progress until the test kills the daemon.
      await page.route("**/v1/responses", async (route) => {
        const body = route.request().postDataJSON();
        const text = { format: { type: "json_schema", name: "long", schema: LONG_TEXT } };
        await route.continue({ postData: JSON.stringify({ ...body, text }) });
      });
      await ask(page, "Go on and on");
      const answer = page.locator(".answer .markdown");
      await answer.filter({ hasText: /\w{3}/ }).waitFor();
      first.process.kill("SIGKILL");
      await first.exited;
      await page.getByText("Connection lost. Reconnecting…").waitFor();
      const words = await answer.innerText();
      expect(words).toMatch(/\w{3}/);
      expect(await page.locator(".thread").innerText()).not.toMatch(/goes on|picked up/);
      await start([...files, "--port", new URL(first.url).port]);
      await page.getByText("The server restarted before the answer was complete.").waitFor();
      expect(await answer.innerText()).toBe(words);
      await page.unroute("**/v1/responses");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator(".answer .statistics").waitFor();
      expect(await page.locator(".turn").count()).toBe(2);
      expect(await page.getByText("The server restarted").count()).toBe(0);
    },
    SEVERAL_STARTS,
  );

  it(
    "shows the daemon's activity and its models",
    async () => {
      const { url } = await start([]);
      const opened = await openPage(url);
      const { page } = opened;
      await ask(page, "Hello!");
      await endedAnswers(page);
      await page.getByRole("link", { name: "Live metrics" }).click();
      await page
        .getByRole("cell", { name: "ggufd-mini" })
        .or(page.getByRole("rowheader", { name: "ggufd-mini" }))
        .first()
        .waitFor();
      await page.getByRole("link", { name: "Models" }).click();
      await page.getByText("ggufd-mini").first().waitFor();
      expectQuiet(opened);
    },
    SEVERAL_STARTS,
  );

  it(
    "regenerates answers and edits messages in branches, and limits the answer length",
    async () => {
      const { url } = await start([]);
      const { page } = await openPage(url);
      await ask(page, "What is the capital of France?");
      expect(await endedAnswers(page)).toEqual([expect.stringContaining("Paris")]);
      await page.getByRole("button", { name: "Regenerate" }).click();
      await page.locator(".answer .branch-switch", { hasText: "2 of 2" }).waitFor();
      await endedAnswers(page);
      await page.getByRole("button", { name: "Edit message" }).click();
      await page
        .getByLabel("Edited message", { exact: true })
        .fill("What is the capital of Italy?");
      await page.getByRole("button", { name: "Ask" }).click();
      await page.locator(".answer", { hasText: "Rome" }).waitFor();
      await page.getByRole("button", { name: "Previous version" }).click();
      await page.locator(".question", { hasText: "France" }).waitFor();
      await page.getByRole("button", { name: "Chat settings" }).click();
      await page.getByLabel("Max tokens").fill("2");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("status").getByText("Saved").waitFor();
      await ask(page, "And of Spain?");
      await endedAnswers(page, 2);
      await page.getByText("The maximum number of tokens was reached.").waitFor();
    },
    SEVERAL_STARTS,
  );

  it(
    "unloads the model, and a message loads it again",
    async () => {
      const { url } = await start([]);
      const { page } = await openPage(url);
      await page.getByRole("link", { name: "Models" }).click();
      await page.getByRole("button", { name: "Unload ggufd-mini" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Unload" }).click();
      await page.getByRole("button", { name: "Load ggufd-mini" }).waitFor();
      await page.getByRole("link", { name: "Chat", exact: true }).click();
      await page.getByRole("button", { name: "Model: ggufd-mini, not loaded" }).waitFor();
      await ask(page, "Hello!");
      await endedAnswers(page);
      await page.getByRole("button", { name: "Model: ggufd-mini, loaded" }).waitFor();
    },
    SEVERAL_STARTS,
  );

  it(
    "works over TLS with a key, and manages to-dos",
    async () => {
      const { certPath: cert, keyPath: key } = firstCertificate;
      const { url } = await start(["--tls-cert", cert, "--tls-key", key, "--api-key", "a-key"]);
      const opened = await openPage(url, { ignoreHTTPSErrors: true });
      const { page } = opened;
      await page.getByLabel("API key").fill("a-key");
      await page.keyboard.press("Enter");
      await ask(page, "Hello!");
      await endedAnswers(page);
      await page.getByRole("link", { name: "To-dos" }).click();
      await page.getByLabel("What needs to be done").fill("Buy milk");
      await page.keyboard.press("Enter");
      await page.getByRole("checkbox", { name: "Buy milk" }).waitFor();
      await page.reload();
      await page.getByRole("checkbox", { name: "Buy milk" }).waitFor();
      expectQuiet(opened);
    },
    SEVERAL_STARTS,
  );

  it("loads nothing from other servers, and is at most 300 kB compressed without the libraries of diagrams and PDFs", async () => {
    const { url } = await start(["--no-model"]);
    const document = await (await fetch(url, { headers: BROWSER })).text();
    const names = [...document.matchAll(/\/page\/([\w.-]+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      const { status } = await fetch(`${url}/page/${name}`);
      expect(status, name).toBe(200);
    }
    const sizes = readdirSync(builtPage)
      .filter((name) => /\.(?:js|css)\.gz$/.test(name) && !/^(?:mermaid|read-pdf)\b/.test(name))
      .map((name) => statSync(join(builtPage, name)).size);
    expect(sizes.length).toBeGreaterThanOrEqual(names.length);
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(300_000);
  });

  it("is disabled by --no-page", async () => {
    const { url } = await start(["--no-model", "--no-page"]);
    expect(await (await fetch(url, { headers: BROWSER })).json()).toMatchObject({ name: "ggufd" });
  });
});
