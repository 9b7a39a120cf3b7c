const DATA = /^data: ?(.*)$/;

/**
 * The data of server-sent events, each of which is one line. What ends before its line does is skipped: whoever needs
 * to know that a stream is complete waits for the event that says so.
 */
export async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const data = DATA.exec(line)?.[1];
      if (data !== undefined) yield data;
    }
  }
}
