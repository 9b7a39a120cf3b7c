import type { ComponentType } from "preact";
import { ChatView } from "./chat/chat-view.js";
import { KeyForm } from "./key-form.js";
import { Announcer } from "./parts/announcer.js";
import { ErrorBoundary } from "./parts/error-boundary.js";
import { Icon, type IconName } from "./parts/icon.js";
import { lazy } from "./parts/lazy.js";
import { Notice } from "./parts/notice.js";
import { titleOf } from "./parts/tab-title.js";
import { ThemeButton } from "./parts/theme-button.js";
import { findLastRoute, route, toHash, type View, views } from "./route.js";
import { beginSession, hasKey, isNamed, permits, session, signOut } from "./session.js";
import { ShortcutsButton } from "./shortcuts/shortcuts-button.js";

const VIEWS: Readonly<Record<View, ComponentType>> = {
  chat: ChatView,
  todos: lazy(async () => (await import("./todos/todos-view.js")).TodosView),
  batches: lazy(async () => (await import("./batches/batches-view.js")).BatchesView),
  usage: lazy(async () => (await import("./usage/usage-view.js")).UsageView),
  metrics: lazy(async () => (await import("./metrics/metrics-view.js")).MetricsView),
  models: lazy(async () => (await import("./models/models-view.js")).ModelsView),
  keys: lazy(async () => (await import("./keys/keys-view.js")).KeysView),
};

const ICONS: Readonly<Record<View, IconName>> = {
  chat: "chat",
  todos: "tasks",
  batches: "layers",
  usage: "probabilities",
  metrics: "pulse",
  models: "memory",
  keys: "key",
};

/** Whether the user's key permits a view's requests. Every key may list models and its usage. */
function isPermitted(view: View): boolean {
  switch (view) {
    case "chat":
      return permits("inference");
    case "todos":
      return permits("todos");
    case "batches":
      return permits("batches");
    case "metrics":
      return permits("admin");
    case "usage":
    case "models":
      return true;
    case "keys":
      return isNamed() && permits("admin");
  }
}

/** The page. */
export function App() {
  const { value: current } = session;
  switch (current.state) {
    case "beginning":
      return <main class="beginning" aria-busy="true" aria-label="ggufd" />;
    case "locked":
      return <KeyForm reason={current.reason} />;
    case "unreachable":
      return (
        <main class="key-form">
          <h1>ggufd</h1>
          <Notice message={current.reason}>
            <button type="button" onClick={() => void beginSession()}>
              Try again
            </button>
          </Notice>
        </main>
      );
    case "open":
      return <OpenPage />;
  }
}

function OpenPage() {
  const permitted = views.filter(isPermitted);
  const { view } = route.value;
  const shown = permitted.includes(view) ? view : (permitted[0] ?? "models");
  const Shown = VIEWS[shown];
  return (
    <>
      <button type="button" class="skip-link" onClick={focusMain}>
        Skip to content
      </button>
      <header class="page-header">
        <a class="brand" href="#/chat">
          ggufd
        </a>
        <nav aria-label="Views">
          {permitted.map((one) => (
            <a
              key={one}
              href={toHash(findLastRoute(one))}
              aria-current={one === shown ? "page" : undefined}
            >
              <Icon name={ICONS[one]} />
              {titleOf(one)}
            </a>
          ))}
        </nav>
        <div class="page-links">
          <a href="./docs">API</a>
          <ThemeButton />
          <ShortcutsButton />
          {hasKey.value && (
            <button type="button" class="link" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1} class={`view ${shown}-view`}>
        <ErrorBoundary key={shown} name="This view">
          <Shown />
        </ErrorBoundary>
      </main>
      <Announcer />
    </>
  );
}

function focusMain(): void {
  document.getElementById("main")?.focus();
}
