import { useState } from "preact/hooks";
import { Notice } from "./parts/notice.js";
import { hasKey, tryKey } from "./session.js";

/** Form for an API key. @param reason message of the server */
export function KeyForm({ reason }: { readonly reason: string }) {
  const [key, setKey] = useState("");
  return (
    <main class="key-form">
      <h1>ggufd</h1>
      <p>This server requires an API key. It is kept until you close this tab.</p>
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
      {hasKey.value && <Notice message={reason} />}
    </main>
  );
}
