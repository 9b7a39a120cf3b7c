import { toPng } from "../prompts/png.js";

/** Request that is answered unmodified if the server has a model for it. */
export interface ValidRequest {
  readonly method: "POST" | "PATCH" | "PUT";
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const messages = [
  { role: "system", content: "Answer briefly." },
  { role: "user", content: [{ type: "text", text: "Say hello." }] },
  { role: "assistant", content: "Hello." },
  { role: "user", content: "Again." },
];
const parameters = {
  type: "object",
  properties: { city: { type: "string", enum: ["Oslo", "Rome"] }, days: { type: "integer" } },
  required: ["city"],
};
const tools = [{ type: "function", function: { name: "weather", description: "d", parameters } }];
const image = toPng({ width: 4, height: 4, rgb: new Uint8Array(48).fill(99) }).toString("base64");
const sampling = { temperature: 0.7, top_p: 0.9, seed: 1, frequency_penalty: 0.1 };

/** Valid requests of each dialect, with fields of all kinds. Answers are short. */
export function validRequests(model: string): readonly ValidRequest[] {
  const post = (path: string, body: Readonly<Record<string, unknown>>) =>
    ({ method: "POST", path, body }) as const;
  return [
    post("/v1/chat/completions", {
      ...{ model, messages, max_tokens: 4, ...sampling, n: 1, stop: ["\n"] },
      ...{ logprobs: true, top_logprobs: 2, logit_bias: { "5": -1 }, stream: true },
      ...{ stream_options: { include_usage: true }, user: "u", metadata: { a: "b" } },
    }),
    post("/v1/chat/completions", {
      ...{ model, messages, max_completion_tokens: 8, tools, tool_choice: "auto" },
      parallel_tool_calls: false,
    }),
    post("/v1/chat/completions", {
      ...{ model, messages, max_tokens: 8 },
      response_format: { type: "json_schema", json_schema: { name: "w", schema: parameters } },
    }),
    post("/v1/chat/completions", {
      ...{ model, max_tokens: 2 },
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
          ],
        },
      ],
    }),
    post("/v1/completions", {
      ...{ model, prompt: ["Once", "Twice"], max_tokens: 4, ...sampling, echo: true, logprobs: 1 },
      ...{ suffix: null, best_of: 1 },
    }),
    post("/v1/responses", {
      ...{ model, instructions: "Be brief.", max_output_tokens: 16, stream: true, store: false },
      input: [
        { role: "user", content: [{ type: "input_text", text: "Hello" }] },
        { type: "function_call", call_id: "c", name: "weather", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: "1" },
      ],
      tools: [{ type: "function", name: "weather", parameters, strict: false }],
      text: { format: { type: "text" } },
      reasoning: { effort: "low" },
    }),
    post("/v1/conversations", {
      items: [{ type: "message", role: "user", content: "Hello" }],
      metadata: { a: "b" },
    }),
    post("/v1/messages", {
      ...{ model, max_tokens: 4, stream: true, temperature: 0.5, top_k: 5, stop_sequences: ["x"] },
      system: [{ type: "text", text: "Be brief." }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      tools: [{ name: "weather", input_schema: parameters }],
      ...{ tool_choice: { type: "auto" }, metadata: { user_id: "u" } },
    }),
    post("/v1/messages/count_tokens", { model, messages: [{ role: "user", content: "Hello" }] }),
    post("/api/chat", {
      ...{ model, messages: [{ role: "user", content: "Hello" }], stream: false, think: false },
      ...{ options: { num_predict: 4, temperature: 0.5, stop: ["x"] }, keep_alive: "5m", tools },
      format: parameters,
    }),
    post("/api/generate", {
      ...{ model, prompt: "Hello", system: "s", stream: true, raw: false },
      options: { num_predict: 4, seed: 1, top_k: 5 },
    }),
    post("/v1/embeddings", { model, input: ["a", "b"], encoding_format: "float", dimensions: 8 }),
    post("/v1/rerank", { model, query: "a", documents: ["b", { text: "c" }], top_n: 1 }),
    post("/tokenize", { content: "Hello", add_special: true, with_pieces: true }),
    post("/api/todos", { title: "Buy milk", completed: false }),
    post("/v1/todos", { title: "Buy milk", completed: false }),
    { method: "PATCH", path: "/api/todos/1", body: { title: "Buy bread", completed: true } },
    { method: "PUT", path: "/v1/todos/1", body: { title: "Buy bread", completed: true } },
  ];
}
