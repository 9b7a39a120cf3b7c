import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Side } from "../../bench/servers/server.js";

interface Body {
  readonly input?: string | readonly string[];
  readonly query?: string;
  readonly documents?: readonly string[];
}

/**
 * Side whose server embeds and reranks by the lengths of texts; every word is a token.
 * @param bias difference to the results of other sides
 */
export function poolingSide(label: string, bias: number): Side {
  return {
    kind: "external",
    label,
    async start() {
      const server = createServer(async (request, response) => {
        const body = request.method === "POST" ? ((await json(request)) as Body) : undefined;
        response.end(JSON.stringify(answerTo(request.url, body, bias)));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      return {
        baseUrl: `http://127.0.0.1:${port}/v1`,
        version: "1",
        command: ["pooling"],
        pid: process.pid,
        stop: async () => void server.close(),
      };
    },
  };
}

function answerTo(
  url: string | undefined,
  { input = [], query = "", documents = [] }: Body = {},
  bias: number,
) {
  switch (url) {
    case "/v1/models":
      return { data: [{ id: "pooling" }] };
    case "/v1/embeddings": {
      const texts = [input].flat();
      const vectors = texts.map((text, index) => ({ index, embedding: [text.length, bias] }));
      return { data: vectors, usage: { prompt_tokens: wordCount(texts) } };
    }
    case "/v1/rerank": {
      const scores = documents.map((text, index) => ({
        index,
        relevance_score: text.length + bias,
      }));
      return { results: scores, usage: { total_tokens: wordCount([query, ...documents]) } };
    }
    default:
      return {};
  }
}

function wordCount(texts: readonly string[]): number {
  return texts.join(" ").split(" ").length;
}
