import type { LoginTokenBody } from "../../api/system/login-schema.js";

/** Session storage key of the signed-in user's token: other pages and sessions cannot read it. */
const STORED_LOGIN = "ggufd.login-token";

/** Time before its expiry at which a token is renewed. */
const RENEW_BEFORE_MS = 30_000;

/** Storage of a tab; a part of the browser's `Storage`. */
type TokenStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface LoginTokenOptions {
  /** Exchanges a refresh token. */
  readonly refresh: (refreshToken: string) => Promise<LoginTokenBody>;
  /** @default sessionStorage */
  readonly storage?: TokenStorage;
  /** @default Date.now */
  readonly now?: () => number;
}

/** The token of the user who has signed in, kept for this tab and renewed before it expires. */
export class LoginTokenStore {
  readonly #options: LoginTokenOptions;
  readonly #storage: TokenStorage;
  readonly #now: () => number;
  #renewal: Promise<void> | undefined;

  constructor(options: LoginTokenOptions) {
    this.#options = options;
    this.#storage = options.storage ?? sessionStorage;
    this.#now = options.now ?? Date.now;
  }

  keep(token: LoginTokenBody): void {
    this.#storage.setItem(STORED_LOGIN, JSON.stringify(token));
  }

  forget(): void {
    this.#storage.removeItem(STORED_LOGIN);
  }

  /** Whether a user has signed in. */
  get isKept(): boolean {
    return this.#read() !== undefined;
  }

  /**
   * Returns the token for a request; requests share one renewal. If it fails, the server refuses
   * the expired token and the user signs in again.
   */
  async select(): Promise<string | undefined> {
    const token = this.#read();
    if (token === undefined) return undefined;
    const { refresh_token, expires_at } = token;
    if (refresh_token !== null && expires_at * 1000 - this.#now() < RENEW_BEFORE_MS) {
      this.#renewal ??= this.#renew(refresh_token).finally(() => {
        this.#renewal = undefined;
      });
      await this.#renewal;
    }
    return this.#read()?.token;
  }

  async #renew(refreshToken: string): Promise<void> {
    try {
      const renewed = await this.#options.refresh(refreshToken);
      // The user may have signed out in the meantime.
      if (this.#read()?.refresh_token === refreshToken) this.keep(renewed);
    } catch {
      // The server reports the expiry.
    }
  }

  #read(): LoginTokenBody | undefined {
    const stored = this.#storage.getItem(STORED_LOGIN);
    return stored === null ? undefined : JSON.parse(stored);
  }
}
