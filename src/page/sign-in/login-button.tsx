import { useEffect, useState } from "preact/hooks";
import type { Client } from "../api/client.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { beginLogin, findProvider } from "./login.js";

/** Button that leads to the identity provider, if the server has one. */
export function LoginButton({ client }: { readonly client: Client }) {
  const [provider, setProvider] = useState<string | null>(null);
  const { isBusy, errorMessage, run } = useAction();
  useEffect(() => {
    // Without an answer, the form for a key is enough.
    findProvider(client).then(setProvider, () => undefined);
  }, [client]);
  if (provider === null) return null;
  return (
    <div class="login">
      <button
        type="button"
        class="primary"
        disabled={isBusy}
        onClick={() => run(() => beginLogin(client))}
      >
        Sign in with {provider}
      </button>
      {errorMessage !== undefined && <Notice message={errorMessage} />}
      <p>Or enter an API key:</p>
    </div>
  );
}
