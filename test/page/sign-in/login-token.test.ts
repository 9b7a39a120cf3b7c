import { describe, expect, it } from "vitest";
import type { LoginTokenBody } from "../../../src/api/system/login-schema.js";
import { LoginTokenStore } from "../../../src/page/sign-in/login-token.js";

const NOW = 1_800_000_000_000;

const tokenFor = (name: string, seconds: number, refresh: string | null): LoginTokenBody => ({
  object: "login.token",
  token: name,
  expires_at: NOW / 1000 + seconds,
  refresh_token: refresh,
});

function prepare(answer: (refreshToken: string) => Promise<LoginTokenBody>) {
  const texts = new Map<string, string>();
  const refreshed: string[] = [];
  const store = new LoginTokenStore({
    refresh: (refreshToken) => {
      refreshed.push(refreshToken);
      return answer(refreshToken);
    },
    storage: {
      getItem: (name) => texts.get(name) ?? null,
      setItem: (name, text) => texts.set(name, text),
      removeItem: (name) => texts.delete(name),
    },
    now: () => NOW,
  });
  return { store, refreshed };
}

const renewed = async () => tokenFor("second", 3600, "r2");

describe("the token of the signed-in user", () => {
  it("is absent before a login", async () => {
    const { store } = prepare(renewed);
    expect(store.isKept).toBe(false);
    expect(await store.select()).toBeUndefined();
  });

  it("is used until shortly before its expiry", async () => {
    const { store, refreshed } = prepare(renewed);
    store.keep(tokenFor("first", 30, "r1"));
    expect(await store.select()).toBe("first");
    expect(refreshed).toEqual([]);
  });

  it("is renewed once for requests at the same time", async () => {
    const { store, refreshed } = prepare(renewed);
    store.keep(tokenFor("first", 29, "r1"));
    expect(await Promise.all([store.select(), store.select()])).toEqual(["second", "second"]);
    expect(await store.select()).toBe("second");
    expect(refreshed).toEqual(["r1"]);
  });

  it("is sent although it has expired, if it cannot be renewed", async () => {
    const { store, refreshed } = prepare(() => Promise.reject(new Error("refused")));
    store.keep(tokenFor("first", -1, "r1"));
    expect(await store.select()).toBe("first");
    store.keep(tokenFor("first", -1, null));
    expect(await store.select()).toBe("first");
    expect(refreshed).toEqual(["r1"]);
  });

  it("is not kept again by a renewal after the user has signed out", async () => {
    const { store } = prepare(async () => {
      store.forget();
      return renewed();
    });
    store.keep(tokenFor("first", 0, "r1"));
    expect(await store.select()).toBeUndefined();
    expect(store.isKept).toBe(false);
  });
});
