import { describe, expect, it, onTestFinished } from "vitest";
import { OidcProvider } from "../../../src/identity/oidc-provider.js";
import { CLIENT_ID, StandInProvider } from "../../support/identity-provider.js";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  openPage,
  scriptedServer,
  useBrowser,
  violationsOf,
} from "../../support/page-in-browser.js";
import { storeInMemory } from "../../support/store-in-memory.js";

async function serverWithProvider() {
  const { provider, close } = await StandInProvider.listen();
  onTestFinished(close);
  const { login, verify } = new OidcProvider({
    issuer: provider.issuer,
    audiences: [CLIENT_ID],
    nameClaim: "sub",
    client: { clientId: CLIENT_ID, scope: "openid" },
    warn: () => undefined,
  });
  const { url } = await scriptedServer(undefined, {
    keyLines: ["full-key name=ann"],
    identities: { rules: ["groups=staff scopes=inference", "sub=eve deny"], login, verify },
    todos: storeInMemory(),
  });
  const opened = await openPage(url);
  const button = opened.page.getByRole("button", { name: /^Sign in with 127\.0\.0\.1:/ });
  return { provider, url, button, ...opened };
}

describe.skipIf(!hasBrowser)("the page of a server with an identity provider", () => {
  useBrowser();

  it("signs the user in, and keeps the token for this tab only", async () => {
    const { provider, url, page, context, button, complaints } = await serverWithProvider();
    await page.goto(`${url}/#/models`);
    await button.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await button.click();
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(["Chat", "Usage", "Models"]);
    // The address has neither the code nor the state, and is the one that the user left.
    expect(page.url()).toBe(`${url}/#/models`);
    await page.getByRole("link", { name: "Chat", exact: true }).click();
    await ask(page, "Hi");
    await endedAnswers(page);
    await page.reload();
    await endedAnswers(page);
    expect(provider.countOf("/token")).toBe(1);
    expect(await page.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ""]);
    const other = await context.newPage();
    await other.goto(url);
    await other.getByLabel("API key").waitFor();
    expect(complaints).toEqual([]);
  });

  it("signs the user out", async () => {
    const { page, button } = await serverWithProvider();
    await button.click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await button.waitFor();
    const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
    expect(kept).not.toContain("eyJ");
  });

  it("renews a token that expires", async () => {
    const { provider, page, button } = await serverWithProvider();
    provider.lifetime = 20;
    provider.refresh = "issued";
    await button.click();
    await page.getByLabel("Your message").waitFor();
    await ask(page, "Hi");
    await endedAnswers(page);
    expect(provider.countOf("/token")).toBeGreaterThan(1);
  });

  it("explains why a user or a login was refused, and accepts a key instead", async () => {
    const { provider, url, page, button } = await serverWithProvider();
    provider.user = { sub: "eve" };
    await button.click();
    await page.getByRole("alert").getByText("oidc:eve may not use this server").waitFor();
    await page.goto(`${url}/?error=access_denied&state=forged`);
    await page.getByRole("alert").getByText("This tab has not begun the sign-in.").waitFor();
    await page.getByLabel("API key").fill("full-key");
    await page.keyboard.press("Enter");
    await page.getByLabel("Your message").waitFor();
  });

  it("does not accept the code of another login", async () => {
    const { provider, url, page, button } = await serverWithProvider();
    await button.waitFor();
    await page.goto(`${url}/?code=attackers-code&state=attackers-state`);
    await page.getByRole("alert").getByText("This tab has not begun the sign-in.").waitFor();
    expect(provider.countOf("/token")).toBe(0);
  });

  it("contacts no other host before the user signs in", async () => {
    const opened = await serverWithProvider();
    await opened.button.waitFor();
    expectQuiet(opened);
  });
});
