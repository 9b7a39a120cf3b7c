import { Component, type ComponentChild, createRef } from "preact";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { IdleQueue } from "../parts/idle-queue.js";
import { type Turn, toRawText } from "./turns.js";

interface TurnBoundaryProps {
  readonly turn: Turn;
  /** Values that the rendered turn depends on: it is rendered again when one of them changes. */
  readonly dependencies: readonly unknown[];
  /** Whether the turn is one of the last ones, which are always up to date. */
  readonly isNearEnd: boolean;
  readonly children: () => ComponentChild;
}

/** Number of turns at the end of a thread that are rendered at once. */
export const NEAR_END_TURNS = 12;

/** Distance from the view within which turns are rendered at once. */
const NEAR_VIEW = "1500px 0px";

/** Renders turns far from the view. */
const queue = new IdleQueue();
addEventListener("beforeprint", () => queue.flush());

/** Callbacks of the observed turns when they approach the view, and leave it. */
const visibilityCallbacks = new WeakMap<Element, (isNear: boolean) => void>();
/** Observers by the scrolling element. */
const observers = new WeakMap<Element, IntersectionObserver>();

function observerOf(root: Element): IntersectionObserver {
  const known = observers.get(root);
  if (known !== undefined) return known;
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        visibilityCallbacks.get(target)?.(isIntersecting);
      }
    },
    { root, rootMargin: NEAR_VIEW },
  );
  observers.set(root, observer);
  return observer;
}

/**
 * Renders a turn, or its plain text if that fails. In a long thread, turns far from the view are
 * shown as plain text first, which the browser's search finds, and rendered while the browser is
 * idle. Later changes of such turns are deferred as well.
 */
export class TurnBoundary extends Component<TurnBoundaryProps> {
  readonly #boundary = createRef<HTMLDivElement>();
  #isComplete = false;
  #isNearView = false;
  #observed: Element | undefined;
  /** Scrolling element by whose view the turn is observed. */
  #root: Element | undefined;
  #hadFocus = false;

  readonly #complete = () => {
    this.#isComplete = true;
    this.forceUpdate();
  };

  override shouldComponentUpdate(next: TurnBoundaryProps): boolean {
    const isUnchanged = areEqual(this.props.dependencies, next.dependencies);
    if (isUnchanged && (this.#isComplete || !next.isNearEnd)) return false;
    if (next.isNearEnd || this.#isNearView) {
      this.#isComplete = true;
      return true;
    }
    queue.add(this.#complete);
    return false;
  }

  override componentDidMount(): void {
    if (!this.#isComplete) queue.add(this.#complete);
    this.#observe();
  }

  override componentDidUpdate(): void {
    queue.delete(this.#complete);
    this.#observe();
  }

  override componentWillUnmount(): void {
    queue.delete(this.#complete);
    this.#unobserve();
  }

  /** Observes the turn's element, which is another one once the turn is complete. */
  #observe(): void {
    const { current: boundary } = this.#boundary;
    const element = boundary?.firstElementChild ?? undefined;
    const root = boundary?.parentElement;
    if (element === this.#observed || element === undefined || !root) return;
    this.#unobserve();
    this.#observed = element;
    this.#root = root;
    if (this.#hadFocus && element instanceof HTMLElement) {
      element.tabIndex = -1;
      element.focus({ preventScroll: true });
    }
    visibilityCallbacks.set(element, (isNear) => {
      this.#isNearView = isNear;
      if (isNear && queue.delete(this.#complete)) this.#complete();
    });
    observerOf(root).observe(element);
  }

  #unobserve(): void {
    if (this.#observed === undefined || this.#root === undefined) return;
    observerOf(this.#root).unobserve(this.#observed);
    visibilityCallbacks.delete(this.#observed);
    this.#observed = undefined;
  }

  render({ turn, isNearEnd, children }: TurnBoundaryProps) {
    this.#isComplete ||= isNearEnd;
    this.#hadFocus = this.#observed !== undefined && this.#observed === document.activeElement;
    return (
      <ErrorBoundary
        name="This message"
        elementRef={this.#boundary}
        instead={() => <pre class="turn raw-turn">{toRawText(turn)}</pre>}
      >
        {this.#isComplete ? children() : <PlainTurn turn={turn} />}
      </ErrorBoundary>
    );
  }
}

/** Text of a turn that has not been rendered yet. */
function PlainTurn({ turn }: { readonly turn: Turn }) {
  const kind = turn.type === "question" ? `question ${turn.item.role}` : "answer";
  return (
    <article class={`turn ${kind}`}>
      <h2 class="visually-hidden">{turn.type === "question" ? "You" : "Answer"}</h2>
      <div class="markdown plain-turn">{toRawText(turn)}</div>
    </article>
  );
}

function areEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
