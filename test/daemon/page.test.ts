import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  useBrowser,
} from "../support/page-in-browser.js";
import { SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const BROWSER = { accept: "text/html" };

describe.skipIf(!hasBrowser)("the page of a daemon with the shipped model", () => {
  useBrowser();

  it(
    "has its conversations after a reload, in another browser, and after the daemon was killed",
    async () => {
      const folder = temporaryFolder();
      const files = ["--todos", join(folder, "todos.json")];
      const first = await start(files);
      const opened = await openPage(first.url);
      const { page } = opened;
      await ask(page, "Hello! Who are you?");
      const [answer = ""] = await endedAnswers(page);
      expect(answer).toContain("ggufd");
      expect(await page.locator(".figures").innerText()).toMatch(
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

  it("shows what the daemon does, and the models that it has", async () => {
    const { url } = await start([]);
    const opened = await openPage(url);
    const { page } = opened;
    await ask(page, "Hello!");
    await endedAnswers(page);
    await page.getByRole("link", { name: "Live figures" }).click();
    await page
      .getByRole("cell", { name: "ggufd-mini" })
      .or(page.getByRole("rowheader", { name: "ggufd-mini" }))
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByText("ggufd-mini").first().waitFor();
    expectQuiet(opened);
  });

  it("is complete without any other server, and small", async () => {
    const { url } = await start(["--no-model"]);
    const document = await (await fetch(url, { headers: BROWSER })).text();
    const names = [...document.matchAll(/\/page\/([\w.-]+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      const { status } = await fetch(`${url}/page/${name}`);
      expect(status, name).toBe(200);
    }
  });

  it("is turned off by --no-page", async () => {
    const { url } = await start(["--no-model", "--no-page"]);
    expect(await (await fetch(url, { headers: BROWSER })).json()).toMatchObject({ name: "ggufd" });
  });
});
