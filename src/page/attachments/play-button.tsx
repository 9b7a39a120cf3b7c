import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../parts/announcer.js";
import { IconButton } from "../parts/icon.js";
import type { AudioData } from "./attachment.js";

interface PlayButtonProps {
  readonly name: string;
  /** Without data, as audio by URL is not loaded by the page, there is no button. */
  readonly audio: AudioData;
}

/**
 * Plays audio that is embedded in the page. An audio element would have to load it from a URL, which
 * the page's content security policy forbids.
 */
export function PlayButton({ name, audio: { data } }: PlayButtonProps) {
  const [isPlaying, setPlaying] = useState(false);
  const context = useRef<AudioContext>(undefined);
  const stop = () => {
    void context.current?.close();
    context.current = undefined;
    setPlaying(false);
  };
  useEffect(() => () => void context.current?.close(), []);
  if (data === undefined) return null;
  const play = async () => {
    const player = new AudioContext();
    context.current = player;
    setPlaying(true);
    try {
      const source = player.createBufferSource();
      source.buffer = await player.decodeAudioData(decodeBase64(data).buffer);
      source.connect(player.destination);
      source.onended = () => context.current === player && stop();
      source.start();
    } catch {
      if (context.current !== player) return;
      stop();
      announce(`This browser cannot play ${name}.`);
    }
  };
  return isPlaying ? (
    <IconButton icon="stop" label={`Stop ${name}`} onClick={stop} />
  ) : (
    <IconButton icon="play" label={`Play ${name}`} onClick={() => void play()} />
  );
}

function decodeBase64(data: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
