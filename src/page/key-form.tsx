import { useState } from "preact/hooks";
import { Notice } from "./parts/notice.js";
import { loginClient, tryKey } from "./session.js";
import { LoginButton } from "./sign-in/login-button.js";

/**
 * Form for an API key, or the way to the identity provider.
 * @param reason why the key or login was refused; `undefined`: there was none
 */
export function KeyForm({ reason }: { readonly reason: string | undefined }) {
  const [key, setKey] = useState("");
  return (
    <main class="key-form">
      <h1>ggufd</h1>
      <p>This server requires an API key. It is kept until you close this tab.</p>
      <LoginButton client={loginClient} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") void tryKey(key.trim());
        }}
      >
        <label for="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          required
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      {reason !== undefined && <Notice message={reason} />}
    </main>
  );
}
