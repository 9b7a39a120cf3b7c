import { describe, expect, it } from "vitest";
import { readReturn } from "../../../src/page/sign-in/login.js";

const pending = {
  state: "s1",
  nonce: "n1",
  code_verifier: "v1",
  redirect_uri: "https://llm.test/",
  hash: "#/chat/conv_1",
};
const stored = JSON.stringify(pending);

describe("the return from the identity provider", () => {
  it.each(["", "?x=1", "?code=a", "?state=s1", "?error=denied"])("is none at %s", (search) => {
    expect(readReturn(search, stored)).toEqual({ type: "none" });
  });

  it("has the code of this tab's login, and the address that the user left", () => {
    const { hash } = pending;
    expect(readReturn("?code=c1&state=s1", stored)).toEqual({
      type: "code",
      code: "c1",
      pending,
      hash,
    });
  });

  it.each([
    ["?code=c1&state=s2", stored],
    ["?code=c1&state=", stored],
    ["?code=c1&state=s1", null],
    ["?error=access_denied&state=s2", stored],
  ])("is refused with the state of another login: %s", (search, of) => {
    expect(readReturn(search, of)).toMatchObject({
      type: "failed",
      reason: "This tab has not begun the sign-in. Sign in again.",
    });
  });

  it.each([
    ["?error=access_denied&state=s1", "access_denied"],
    ["?error=a&error_description=No+entry.&state=s1", "a: No entry."],
  ])("has the reason of the provider: %s", (search, reason) => {
    expect(readReturn(search, stored)).toMatchObject({
      type: "failed",
      reason: `The provider refused the sign-in: ${reason}`,
    });
  });
});
