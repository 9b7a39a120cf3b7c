/** Formats a duration in seconds: `0:33`, `12:05`, `1:02:03`. */
export function formatClockTime(seconds: number): string {
  const wholeSeconds = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(wholeSeconds / 3600), Math.floor(wholeSeconds / 60) % 60];
  const paddedSeconds = String(wholeSeconds % 60).padStart(2, "0");
  return hours === 0
    ? `${minutes}:${paddedSeconds}`
    : `${hours}:${String(minutes).padStart(2, "0")}:${paddedSeconds}`;
}
