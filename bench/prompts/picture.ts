import type { Random } from "../../models/random/random-choices.js";
import { toPng } from "./png.js";

/** Side length of the squares of a picture, in pixels. */
const SQUARE = 16;

/** Returns a PNG of randomly coloured squares as a data URL; the picture depends on `random`. */
export function pictureUrl(random: Random, side: number): string {
  const perRow = Math.ceil(side / SQUARE);
  const colours = Array.from({ length: perRow ** 2 }, () =>
    [0, 1, 2].map(() => random.int(0, 255)),
  );
  const rgb = new Uint8Array(3 * side ** 2);
  for (let pixel = 0; pixel < side ** 2; pixel++) {
    const [row, column] = [Math.floor(pixel / side), pixel % side];
    const square = Math.floor(row / SQUARE) * perRow + Math.floor(column / SQUARE);
    rgb.set(colours[square] ?? [], 3 * pixel);
  }
  const png = toPng({ width: side, height: side, rgb });
  return `data:image/png;base64,${png.toString("base64")}`;
}
