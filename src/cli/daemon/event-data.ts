const DATA = /^data: ?(.*)$/;

/**
 * Yields the data of server-sent events of one line each. An incomplete last line is ignored:
 * callers detect a complete stream by its final event.
 */
export async function* readEventData(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let partialLine = "";
  for await (const chunk of bytes) {
    const lines = (partialLine + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    partialLine = lines.pop() ?? "";
    for (const line of lines) {
      const data = DATA.exec(line)?.[1];
      if (data !== undefined) yield data;
    }
  }
}
