import { useId, useRef, useState } from "preact/hooks";
import {
  findBand,
  formatProbability,
  formatToken,
  type ScoredToken,
} from "./token-probabilities.js";

/** Number of tokens that Page Up and Page Down move by. */
const PAGE_TOKENS = 20;

/** The tokens of an answer; the hovered or focused one is described below. */
export function TokenView({ tokens }: { readonly tokens: readonly ScoredToken[] }) {
  const [current, setCurrent] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const detailsId = useId();
  const shown = tokens[current];
  const focus = (index: number) => {
    const next = Math.max(0, Math.min(tokens.length - 1, index));
    setCurrent(next);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tokens">
      {/* One stop of the Tab key; the arrow keys move between the tokens. */}
      <div
        ref={list}
        class="token-list"
        role="toolbar"
        aria-label="Tokens"
        onKeyDown={(event) => {
          const target = findTarget(event.key, current, tokens.length);
          if (target === undefined) return;
          event.preventDefault();
          focus(target);
        }}
      >
        {tokens.map(({ token, logprob }, index) => (
          <button
            key={index}
            type="button"
            class="token"
            data-band={findBand(logprob)}
            tabIndex={index === current ? 0 : -1}
            aria-describedby={index === current ? detailsId : undefined}
            onMouseEnter={() => setCurrent(index)}
            onFocus={() => setCurrent(index)}
          >
            {token}
          </button>
        ))}
      </div>
      {shown !== undefined && <TokenDetails id={detailsId} token={shown} />}
    </div>
  );
}

function findTarget(key: string, current: number, length: number): number | undefined {
  switch (key) {
    case "ArrowRight":
      return current + 1;
    case "ArrowLeft":
      return current - 1;
    case "PageDown":
    case "ArrowDown":
      return current + PAGE_TOKENS;
    case "PageUp":
    case "ArrowUp":
      return current - PAGE_TOKENS;
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return undefined;
  }
}

/** A token with its probability and the alternatives. */
function TokenDetails({ id, token }: { readonly id: string; readonly token: ScoredToken }) {
  return (
    <div id={id} class="token-details">
      <p>
        <code>{formatToken(token.token)}</code> {formatProbability(token.logprob)}
      </p>
      {token.top_logprobs.length > 0 && (
        <ol aria-label="Most probable tokens">
          {token.top_logprobs.map((one, index) => (
            <li key={index} aria-current={one.token === token.token ? "true" : undefined}>
              <code>{formatToken(one.token)}</code>
              <meter
                aria-label={`Probability of ${formatToken(one.token)}`}
                value={Math.exp(one.logprob)}
              />
              <span>{formatProbability(one.logprob)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
