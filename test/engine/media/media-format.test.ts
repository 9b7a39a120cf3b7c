import { describe, expect, test } from "vitest";
import { detectFormat, isAudioFormat } from "../../../src/engine/media/media-format.js";
import { flac, jpeg, mp3, progressiveJpeg } from "../../support/encoded-media.js";
import { bmp, gif, paints, png, wav } from "../../support/media-files.js";

const text = (content: string) => Buffer.from(content, "latin1");

describe("format detection", () => {
  test.each([
    ["png", png(paints.reds)],
    ["jpeg", jpeg],
    ["jpeg", progressiveJpeg],
    ["gif", gif(paints.reds)],
    ["gif", text("GIF87a\0\0\0\0")],
    ["bmp", bmp(paints.reds)],
    ["webp", text("RIFF\0\0\0\0WEBPVP8 ")],
    ["avif", text("\0\0\0\x1cftypavif\0\0\0\0")],
    ["avif", text("\0\0\0\x20ftypmif1\0\0\0\0mif1avifmiaf")],
    ["wav", wav({ hertz: 440 })],
    ["mp3", mp3],
    ["mp3", text("ID3\x04\0\0\0\0\0\0")],
    ["mp3", text(`\xff\xfb${"\0".repeat(10)}`)],
    ["flac", flac],
  ] as const)("detects %s by the first bytes", (format, file) => {
    expect(detectFormat(file)).toBe(format);
  });

  test.each([
    ["an empty file", text("")],
    ["one byte", text("\x89")],
    ["a text", text("This is no image at all.")],
    ["SVG, which can reference other files", text("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["PDF", text("%PDF-1.7")],
    ["TIFF", text("II*\0")],
    ["another RIFF format", text("RIFF\0\0\0\0AVI LIST")],
    ["a video in the container of AVIF", text("\0\0\0\x18ftypmp42\0\0\0\0mp42isom")],
  ])("detects no supported format in %s", (_, file) => {
    expect(detectFormat(file)).toBeUndefined();
  });

  test("distinguishes audio formats from image formats", () => {
    const formats = ["png", "jpeg", "gif", "bmp", "webp", "avif", "wav", "mp3", "flac"] as const;
    expect(formats.filter(isAudioFormat)).toEqual(["wav", "mp3", "flac"]);
  });
});
