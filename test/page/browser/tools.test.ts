import { describe, expect, it } from "vitest";
import { openServers, stdioSpec } from "../../support/mcp/run-mcp-server.js";
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
import type { Script } from "../../support/scripted-engine.js";

const calling = (id: string, name: string, args = "{}"): Script => ({
  parts: [{ call: { id, name: `test__${name}`, arguments: args } }],
  ending: "tool-calls",
});

describe.runIf(hasBrowser)("tools of MCP servers", () => {
  useBrowser();

  /** Opens the page with a real MCP server. */
  async function openWithTools(...scripts: readonly Script[]) {
    const toolServers = openServers([stdioSpec()]);
    const { url } = await scriptedServer(answers(...scripts), { toolServers });
    const opened = await openPage(url);
    const { page } = opened;
    await page.getByRole("button", { name: "Tools" }).click();
    await page.getByRole("checkbox", { name: "test" }).check();
    await page.getByRole("button", { name: "Tools (1)" }).click();
    const messages = page.getByRole("region", { name: "Messages" });
    const waitFor = (text: string) => messages.getByText(text).waitFor();
    return { ...opened, messages, waitFor };
  }

  it("are switched on, asked for, approved, and shown with arguments and result", async () => {
    const opened = await openWithTools(
      calling("call_1", "add", '{"a":1,"b":2}'),
      { parts: ["It is 3."] },
      calling("call_2", "add", '{"a":2,"b":2}'),
      { parts: ["It is 4."] },
    );
    const { page, waitFor } = opened;
    await ask(page, "1 + 2?");
    const approval = page.getByRole("article", { name: "Approval of a tool call: test, add" });
    await approval.getByText('"a": 1').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await approval.getByRole("button", { name: "Allow in this chat" }).click();
    await waitFor("It is 3.");
    expect((await endedAnswers(page)).at(-1)).toBe("It is 3.");
    await page.getByRole("button", { name: "Show request" }).click();
    const request = page.getByRole("dialog", { name: "Request" });
    await request.locator("figure", { hasText: '"server_label": "test"' }).nth(1).waitFor();
    await page.keyboard.press("Escape");
    const call = page.getByRole("article", { name: "Tool call: test, add" });
    await call.getByText("Tool call:").click();
    await call.getByRole("heading", { name: "Result" }).waitFor();
    // The tool is allowed in this conversation.
    await ask(page, "2 + 2?");
    await waitFor("It is 4.");
    expect(await page.getByRole("button", { name: "Allow once" }).count()).toBe(0);
    await page.reload();
    await waitFor("It is 4.");
    expect(await page.getByRole("article", { name: "Tool call: test, add" }).count()).toBe(2);
    expect(await violationsOf(page)).toEqual([]);
    expectQuiet(opened);
  });

  it("are switched on in one chat: until its first question also after a reload", async () => {
    const { page } = await openWithTools({ parts: ["Yes."] });
    await page.reload();
    await page.getByRole("button", { name: "Tools (1)" }).waitFor();
    await ask(page, "Really?");
    await endedAnswers(page);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByText("How can I help?").waitFor();
    await page.getByRole("button", { name: "Tools", exact: true }).waitFor();
  });

  it("are denied, always allowed, and asked for again; errors and images are shown", async () => {
    const opened = await openWithTools(
      calling("call_1", "fail"),
      { parts: ["As you wish."] },
      calling("call_2", "fail"),
      calling("call_3", "picture"),
      { parts: ["A pixel."] },
    );
    const { page, messages, waitFor } = opened;
    await ask(page, "Fail!");
    await page.getByRole("button", { name: "Deny" }).click();
    await waitFor("As you wish.");
    await waitFor("Denied");
    await ask(page, "Really!");
    await page.getByRole("button", { name: "Always allow" }).click();
    await waitFor("It failed.");
    await page.getByRole("button", { name: "Allow once" }).click();
    await waitFor("A pixel.");
    await messages.getByText("image omitted").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Tools (1)" }).click();
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("Each call asks for your approval.").waitFor();
    expect(await page.evaluate(() => localStorage.getItem("ggufd.allowed-tools"))).toBeNull();
    expectQuiet(opened);
  });
});
