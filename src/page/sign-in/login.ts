import type {
  LoginAuthorization,
  LoginDescription,
  LoginTokenBody,
} from "../../api/system/login-schema.js";
import type { Client } from "../api/client.js";

/** Session storage key of a login that has begun in this tab. */
const PENDING = "ggufd.login";

/** Values of a login that the page keeps while the browser is at the provider. */
interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
  /** Fragment of the address that the user left. */
  readonly hash: string;
}

/** How the provider has sent the browser to the page. */
export type LoginReturn =
  /** The user opened the page. */
  | { readonly type: "none" }
  | { readonly type: "failed"; readonly reason: string; readonly hash: string }
  | {
      readonly type: "code";
      readonly code: string;
      readonly pending: PendingLogin;
      readonly hash: string;
    };

/**
 * Reads the address that the provider sent the browser to (RFC 6749, sections 4.1.2 and 4.1.2.1).
 * A state other than that of this tab's login may be another person's code, and is refused.
 * @param search query of the address
 * @param stored the pending login of this tab; `null`: there is none
 */
export function readReturn(search: string, stored: string | null): LoginReturn {
  const parameters = new URLSearchParams(search);
  const state = parameters.get("state");
  const code = parameters.get("code");
  const error = parameters.get("error");
  if (state === null || (code === null && error === null)) return { type: "none" };
  const pending = stored === null ? undefined : (JSON.parse(stored) as PendingLogin);
  const hash = pending?.hash ?? "";
  if (pending?.state !== state) {
    return { type: "failed", reason: "This tab has not begun the sign-in. Sign in again.", hash };
  }
  if (code !== null) return { type: "code", code, pending, hash };
  const description = parameters.get("error_description");
  const reason = description === null ? `${error}` : `${error}: ${description}`;
  return { type: "failed", reason: `The provider refused the sign-in: ${reason}`, hash };
}

/** Reads how the browser came to this page, and restores the address that the user left. */
export function takeReturn(): LoginReturn {
  const returned = readReturn(location.search, sessionStorage.getItem(PENDING));
  if (returned.type === "none") return returned;
  sessionStorage.removeItem(PENDING);
  history.replaceState(undefined, "", location.pathname + returned.hash);
  return returned;
}

/** Returns the host of the identity provider; `null`: users cannot sign in. */
export async function findProvider(client: Client): Promise<string | null> {
  return (await client.json<LoginDescription>("/v1/login")).provider;
}

/** Sends the browser to the provider. */
export async function beginLogin(client: Client): Promise<void> {
  const redirect_uri = location.origin + location.pathname;
  const { url, state, nonce, code_verifier } = await client.json<LoginAuthorization>(
    "/v1/login/authorization",
    { method: "POST", body: { redirect_uri } },
  );
  const { hash } = location;
  const pending: PendingLogin = { state, nonce, code_verifier, redirect_uri, hash };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  location.assign(url);
}

/** Exchanges the code of a login for a token. @throws {ApiError} */
export function finishLogin(
  client: Client,
  { code, pending }: Extract<LoginReturn, { type: "code" }>,
): Promise<LoginTokenBody> {
  const { nonce, code_verifier, redirect_uri } = pending;
  const body = { code, nonce, code_verifier, redirect_uri };
  return client.json("/v1/login/token", { method: "POST", body });
}
