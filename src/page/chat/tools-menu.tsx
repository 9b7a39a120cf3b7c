import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { McpServerView } from "../../api/responses/mcp-server-schema.js";
import { messageOf } from "../api/api-error.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { currentServers, switchServer } from "./tool-actions.js";
import { countAllowed, readToolServers, resetAllowed, toolServers } from "./tool-servers.js";

/** Button and panel that switch MCP servers on in the shown conversation. */
export function ToolsMenu() {
  const [isOpen, setOpen] = useState(false);
  const [errorMessage, setErrorMessage] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const panelId = useId();
  const read = () => {
    readToolServers().then(
      () => setErrorMessage(undefined),
      (error: unknown) => setErrorMessage(messageOf(error)),
    );
  };
  useEffect(read, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    setOpen(false);
    button.current?.focus();
  };
  if (toolServers.value.length === 0) return null;
  const count = currentServers().length;
  return (
    <div class="tools-menu">
      <button
        ref={button}
        type="button"
        class="tools-button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? panelId : undefined}
        onKeyDown={onKeyDown}
        onClick={() => {
          if (!isOpen) read();
          setOpen(!isOpen);
        }}
      >
        {count === 0 ? "Tools" : `Tools (${count})`}
      </button>
      {isOpen && (
        <section id={panelId} class="tools-panel" aria-label="Tools" onKeyDown={onKeyDown}>
          {errorMessage !== undefined && <Notice message={errorMessage} />}
          {toolServers.value.map((server) => (
            <ServerSwitch key={server.name} server={server} />
          ))}
          <AllowedTools />
        </section>
      )}
    </div>
  );
}

function ServerSwitch({ server }: { readonly server: McpServerView }) {
  const action = useAction();
  const isOn = currentServers().includes(server.name);
  return (
    <div class="tool-server">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          disabled={action.isBusy}
          onChange={({ currentTarget: { checked } }) =>
            action.run(() => switchServer(server.name, checked))
          }
        />
        {server.name}
      </label>
      {server.error !== null && <p class="hint">{server.error}</p>}
      {server.tools.length > 0 && (
        <details>
          <summary>{server.tools.length === 1 ? "1 tool" : `${server.tools.length} tools`}</summary>
          <ul>
            {server.tools.map(({ name, description }) => (
              <li key={name}>
                <code>{name}</code> {description}
              </li>
            ))}
          </ul>
        </details>
      )}
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </div>
  );
}

/** Tools that are always allowed in this browser, and how to ask again. */
function AllowedTools() {
  const [count, setCount] = useState(countAllowed);
  if (count === 0) return <p class="hint">Each call asks for your approval.</p>;
  return (
    <p class="hint">
      {count === 1 ? "1 tool is" : `${count} tools are`} always allowed in this browser.{" "}
      <button
        type="button"
        class="link"
        onClick={() => {
          resetAllowed();
          setCount(0);
        }}
      >
        Ask again
      </button>
    </p>
  );
}
