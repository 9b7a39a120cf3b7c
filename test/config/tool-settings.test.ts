import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { splitWords } from "../../src/config/tool-settings.js";

const read = (mcp: readonly string[]) => loadConfig({ flags: { mcp }, environment: {} }).config.mcp;

describe("--mcp", () => {
  it("has names, URLs and commands", () => {
    expect(
      read(["web=https://tools.example/mcp", 'files=npx -y "@scope/server" /srv/my,files --x=1']),
    ).toEqual([
      { name: "web", transport: "http", url: "https://tools.example/mcp" },
      {
        name: "files",
        transport: "stdio",
        command: "npx",
        args: ["-y", "@scope/server", "/srv/my,files", "--x=1"],
      },
    ]);
  });

  it("is a list in the environment", () => {
    const environment = { GGUFD_MCP: "a=one,b=two 2" };
    expect(loadConfig({ flags: {}, environment }).config.mcp).toMatchObject([
      { name: "a", command: "one", args: [] },
      { name: "b", command: "two", args: ["2"] },
    ]);
  });

  it("is empty by default", () => {
    expect(loadConfig({ flags: {}, environment: {} }).config.mcp).toEqual([]);
  });

  it.each([
    [["npx server"], "expected NAME=URL or NAME=COMMAND"],
    [["files="], "expected NAME=URL or NAME=COMMAND"],
    [["my files=npx"], "expected a name of 1 to 32 letters, digits, _ or -"],
    [["web=https://"], "expected an http or https URL after ="],
    [["a='x"], "expected a closing quote in the command"],
    [["a=x", "a=y"], "expected names that differ"],
  ])("%j is refused: %s", (mcp, reason) => {
    expect(() => read(mcp)).toThrow(reason);
  });
});

describe("splitWords", () => {
  it.each([
    ["a  b", ["a", "b"]],
    ["a 'b c' d", ["a", "b c", "d"]],
    [`--x="y z"'!'`, ["--x=y z!"]],
    ["a $HOME;rm", ["a", "$HOME;rm"]],
    ["a ''", ["a", ""]],
    ["a 'b", undefined],
  ])("of %j is %j", (command, words) => {
    expect(splitWords(command)).toEqual(words);
  });
});
