import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.js";

interface FullScreenButtonProps {
  readonly target: RefObject<HTMLElement | null>;
}

/** Button that shows an element on the full screen; absent where the browser cannot. */
export function FullScreenButton({ target }: FullScreenButtonProps) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const read = () => setFull(document.fullscreenElement === target.current);
    document.addEventListener("fullscreenchange", read);
    return () => document.removeEventListener("fullscreenchange", read);
  }, [target]);
  if (!document.fullscreenEnabled) return null;
  const toggle = () =>
    (isFull ? document.exitFullscreen() : target.current?.requestFullscreen())?.catch(
      // The browser has refused, and remains as it is.
      () => undefined,
    );
  return (
    <button type="button" onClick={() => void toggle()}>
      <Icon name={isFull ? "exitFullScreen" : "fullScreen"} />
      {isFull ? "Exit full screen" : "Full screen"}
    </button>
  );
}
