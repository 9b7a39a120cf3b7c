/** Known API of other servers that this one does not have, with what a user should know. */
interface AbsentApi {
  readonly path: RegExp;
  readonly note: string;
}

const ABSENT_APIS: readonly AbsentApi[] = [
  { path: /^\/v1\/images(\/|$)/, note: "ggufd generates no images" },
  { path: /^\/v1\/audio\/speech$/, note: "ggufd generates no speech" },
  { path: /^\/v1\/videos(\/|$)/, note: "ggufd generates no videos" },
  { path: /^\/v1\/moderations$/, note: "ggufd classifies no content" },
  { path: /^\/v1\/(fine_tuning|fine-tunes)(\/|$)/, note: "ggufd trains no models" },
  {
    path: /^\/v1\/vector_stores(\/|$)/,
    note: "ggufd stores no vectors; POST /v1/embeddings computes them",
  },
  {
    path: /^\/v1\/(assistants|threads)(\/|$)/,
    note: "OpenAI has replaced assistants by POST /v1/responses and /v1/conversations",
  },
  {
    path: /^\/v1\/uploads(\/|$)/,
    note: "ggufd has no uploads in parts; POST /v1/files stores large files as they arrive",
  },
  { path: /^\/v1\/realtime(\/|$)/, note: "ggufd has no realtime sessions" },
  { path: /^\/v1\/complete$/, note: "Anthropic has replaced it by POST /v1/messages" },
  {
    path: /^\/v1(beta|alpha)?\/models\/[^/]+:(streamG|g)enerateContent$/,
    note: "ggufd does not have Gemini's API; POST /v1/chat/completions has the same models",
  },
  {
    path: /^\/v[12]\/chat$/,
    note: "ggufd has Cohere's rerank and embed, but not its chat; POST /v1/chat/completions has the same models",
  },
  {
    path: /^\/(lmstudio-greeting$|api\/v0(\/|$))/,
    note: "ggufd does not have LM Studio's own API; POST /v1/chat/completions has the same models",
  },
];

/**
 * Describes why a path of a known API does not exist.
 * @param path without the prefix of all paths and without the query
 * @param upgrade protocol of the header `Upgrade`
 * @returns `undefined`: the path is not a known one
 */
export function describeAbsentApi(path: string, upgrade?: string): string | undefined {
  const api = ABSENT_APIS.find((one) => one.path.test(path));
  if (api !== undefined) return api.note;
  return upgrade?.toLowerCase() === "websocket" ? "ggufd has no WebSockets" : undefined;
}
