import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export const ISSUER = "https://login.test";
export const CLIENT_ID = "ggufd-page";
export const CLIENT_SECRET = "a secret: with signs";

/** Ways in which the provider misbehaves. */
export type Misbehaviour =
  /** Refuses connections. */
  | "down"
  /** Never answers; the request ends by its time limit. */
  | "slow"
  | "failing"
  | "not-json"
  | "huge"
  | "redirecting"
  | "other-issuer"
  | "plain-endpoints"
  /** Sends ID tokens with another nonce. */
  | "other-nonce"
  | "no-id-token";

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function createKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = randomUUID();
  return {
    kid,
    privateKey,
    publicKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" },
  };
}

interface Authorization {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly nonce: string;
}

/** An OpenID provider for tests, which misbehaves on request. */
export class StandInProvider {
  /** Number of requests for each path. */
  readonly requests = new Map<string, number>();
  readonly issuer: string;
  misbehaviour: Misbehaviour | undefined;
  /** Lifetime of ID tokens, in seconds. */
  lifetime = 3600;
  /** Claims of the user who signs in. */
  user: Readonly<Record<string, unknown>> = { sub: "alice", groups: ["staff"] };
  /** Whether token requests must authenticate with {@link CLIENT_SECRET}. */
  client: "public" | "header" | "body" = "public";
  /** Whether a refresh token accompanies an ID token. */
  refresh: "issued" | "none" = "none";
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  readonly #codes = new Map<string, Authorization>();
  readonly #refreshTokens = new Set<string>();
  #keys: readonly SigningKey[];

  static async create(issuer = ISSUER, now = Date.now): Promise<StandInProvider> {
    return new StandInProvider(issuer, [await createKey()], now);
  }

  private constructor(issuer: string, keys: readonly SigningKey[], now: () => number) {
    this.issuer = issuer;
    this.#keys = keys;
    this.#now = now;
  }

  /** Key that signs by default. */
  get key(): SigningKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("expected a key");
    return key;
  }

  /** Signs with a new key from now on; the previous one is not published any more. */
  async rotateKeys(): Promise<void> {
    this.#keys = [await createKey()];
  }

  /** Signs a valid token, except for the given claims. */
  sign(
    claims: Readonly<Record<string, unknown>> = {},
    { key = this.key, alg = "ES256" }: { key?: SigningKey; alg?: string } = {},
  ): Promise<string> {
    const seconds = Math.floor(this.#now() / 1000);
    const all = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: seconds,
      exp: seconds + this.lifetime,
      ...this.user,
      ...claims,
    };
    const given = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined),
    );
    return new SignJWT(given).setProtectedHeader({ alg, kid: key.kid }).sign(key.privateKey);
  }

  countOf(path: string): number {
    return this.requests.get(path) ?? 0;
  }

  /** Answers requests in place of the network. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    this.requests.set(pathname, this.countOf(pathname) + 1);
    switch (this.misbehaviour) {
      case "down":
        throw new TypeError("fetch failed");
      case "slow":
        throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
      case "failing":
        return new Response("{}", { status: 500 });
      case "not-json":
        return new Response("<!doctype html>");
      case "huge":
        return new Response(`{"keys":"${"x".repeat(2 ** 21)}"}`);
      case "redirecting":
        // The default of `fetch` would follow it.
        if (request.redirect === "error") throw new TypeError("unexpected redirect");
        return Response.json({ issuer: "https://attacker.test" });
      default:
        return this.#answer(request, pathname);
    }
  };

  /** Serves the provider on a free loopback port, whose URL is the issuer. */
  static async listen(): Promise<{ provider: StandInProvider; close: () => Promise<void> }> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method = "GET", url = "/" } = request;
      const body = Buffer.concat(chunks);
      const headers = new Headers();
      for (const name of ["authorization", "content-type"]) {
        const value = request.headers[name];
        if (typeof value === "string") headers.set(name, value);
      }
      const answer = await provider
        .fetch(`${provider.issuer}${url}`, { method, headers, ...(body.length > 0 && { body }) })
        .catch(() => undefined);
      if (answer === undefined) {
        response.destroy();
        return;
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const provider = await StandInProvider.create(`http://127.0.0.1:${port}`);
    return {
      provider,
      async close() {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      },
    };
  }

  async #answer(request: Request, pathname: string): Promise<Response> {
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(this.#describe());
      case "/keys":
        return Response.json({ keys: this.#keys.map(({ jwk }) => jwk) });
      case "/authorize":
        return this.#authorize(new URL(request.url).searchParams);
      case "/token":
        return this.#issue(request);
      default:
        return new Response("", { status: 404 });
    }
  }

  #describe() {
    const { issuer } = this;
    const base = this.misbehaviour === "plain-endpoints" ? "http://login.test" : issuer;
    return {
      issuer: this.misbehaviour === "other-issuer" ? "https://attacker.test" : issuer,
      jwks_uri: `${base}/keys`,
      authorization_endpoint: `${base}/authorize?tenant=1`,
      token_endpoint: `${base}/token`,
      ...(this.client === "body" && {
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
    };
  }

  /** Lets the user in without a question, as a provider with a session does. */
  #authorize(parameters: URLSearchParams): Response {
    const read = (name: string) => parameters.get(name) ?? "";
    const code = randomUUID();
    const isValid =
      read("response_type") === "code" &&
      read("client_id") === CLIENT_ID &&
      read("code_challenge_method") === "S256" &&
      read("scope").split(" ").includes("openid");
    const location = new URL(read("redirect_uri"));
    location.searchParams.set("state", read("state"));
    if (isValid) location.searchParams.set("code", code);
    else location.searchParams.set("error", "invalid_request");
    this.#codes.set(code, {
      challenge: read("code_challenge"),
      redirectUri: read("redirect_uri"),
      nonce: read("nonce"),
    });
    return new Response(null, { status: 302, headers: { location: location.href } });
  }

  async #issue(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const read = (name: string) => form.get(name) ?? "";
    if (read("client_id") !== CLIENT_ID || !this.#isAuthenticated(request, form)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    if (read("grant_type") === "refresh_token") {
      const isKnown = this.#refreshTokens.delete(read("refresh_token"));
      return isKnown ? this.#sendTokens({}) : refuse("Refresh token not valid");
    }
    const authorization = this.#codes.get(read("code"));
    this.#codes.delete(read("code"));
    const challenge = createHash("sha256").update(read("code_verifier")).digest("base64url");
    if (authorization?.challenge !== challenge) return refuse("Code not valid");
    if (authorization.redirectUri !== read("redirect_uri")) return refuse("Other redirect_uri");
    const nonce = this.misbehaviour === "other-nonce" ? "another" : authorization.nonce;
    return this.#sendTokens({ nonce });
  }

  #isAuthenticated(request: Request, form: URLSearchParams): boolean {
    switch (this.client) {
      case "public":
        return !form.has("client_secret") && !request.headers.has("authorization");
      case "body":
        return form.get("client_secret") === CLIENT_SECRET;
      case "header": {
        const encoded = /^Basic (.*)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
        const [id = "", secret = ""] = Buffer.from(encoded, "base64").toString().split(":");
        return [id, secret].map(decodeURIComponent).join("\n") === `${CLIENT_ID}\n${CLIENT_SECRET}`;
      }
    }
  }

  async #sendTokens(claims: Readonly<Record<string, unknown>>): Promise<Response> {
    const refreshToken = randomUUID();
    if (this.refresh === "issued") this.#refreshTokens.add(refreshToken);
    return Response.json({
      access_token: "opaque",
      token_type: "Bearer",
      ...(this.misbehaviour !== "no-id-token" && { id_token: await this.sign(claims) }),
      ...(this.refresh === "issued" && { refresh_token: refreshToken }),
    });
  }
}

function refuse(description: string): Response {
  return Response.json({ error: "invalid_grant", error_description: description }, { status: 400 });
}
