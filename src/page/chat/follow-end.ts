import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { NEAR_END_TURNS } from "./turn-boundary.js";

/** Distance from the end within which the view follows new output. */
const NEAR_END_PIXELS = 80;

/**
 * Keeps the end of a thread in view while it grows, unless the user has scrolled away from it.
 * Turns also grow without a rendering of the thread: formulas, highlighted code and images arrive
 * later.
 * @returns handler of the thread's scroll events
 */
export function useFollowedEnd(log: RefObject<HTMLElement | null>): () => void {
  const isFollowing = useRef(true);
  const observer = useRef<ResizeObserver>(undefined);
  const observed = useRef(new WeakSet<Element>());
  const follow = () => {
    const { current: element } = log;
    if (element !== null && isFollowing.current) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(follow);
  useEffect(() => {
    observer.current = new ResizeObserver(follow);
    return () => observer.current?.disconnect();
  }, []);
  useEffect(() => {
    const turns = [...(log.current?.querySelectorAll(".turn") ?? [])].slice(-NEAR_END_TURNS);
    for (const turn of turns) {
      if (observed.current.has(turn)) continue;
      observed.current.add(turn);
      observer.current?.observe(turn);
    }
  });
  return () => {
    if (log.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = log.current;
    isFollowing.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS;
  };
}
