import { batch, effect, signal } from "@preact/signals";
import type { ResponseEvent } from "../../api/responses/event-schema.js";
import type { OutputItem, StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { ApiError, messageOf } from "../api/api-error.js";
import type { Attachment, FilePart } from "../attachments/attachment.js";
import { wait } from "../parts/wait.js";
import { goTo } from "../route.js";
import { client } from "../session.js";
import { keep, readKept } from "../tab-storage.js";
import { AnswerRenderer, Speaker } from "./answer-output.js";
import { buildBranchMetadata } from "./branches.js";
import {
  type ChatSettings,
  deriveTitle,
  parseSettings,
  settingsOf,
  toMetadata,
  toRequestFields,
  withSettings,
} from "./chat-settings.js";
import {
  addItems,
  changeFamily,
  createConversation,
  type NewItem,
  readConversation,
  readItems,
  toReference,
} from "./conversations.js";
import { type FollowedAnswer, followAnswer } from "./follow-answer.js";
import { type LiveAnswer, waitingAnswer } from "./live-answer.js";
import { reportChange } from "./other-tabs.js";
import { withServers } from "./server-tools.js";
import { newServers, withServerTools } from "./tool-servers.js";
import { type CallOutput, findOpenCalls, type ToolCall, textOfAnswer } from "./turns.js";

/** State of the conversation that is shown. */
export type Thread =
  /** New conversation, which is created when its first question is sent. */
  | { readonly state: "new" }
  | { readonly state: "reading"; readonly id: string }
  | { readonly state: "missing"; readonly id: string; readonly reason: string }
  | {
      readonly state: "open";
      readonly conversation: ConversationObject;
      readonly items: readonly StoredItem[];
    };

export const thread = signal<Thread>({ state: "new" });

/** Name of the kept settings of a conversation that has not started. */
const NEW_SETTINGS = "new-settings";

/** Settings of a conversation that has not started. */
export const newSettings = signal<ChatSettings>(parseSettings(readKept(NEW_SETTINGS)));

effect(() => keep(NEW_SETTINGS, JSON.stringify(toMetadata(newSettings.value))));

/** Answers in progress, by conversation id. */
export const liveAnswers = signal<ReadonlyMap<string, FollowedAnswer>>(new Map());

/** Why the last answer of a conversation is missing or incomplete. */
export interface Failure {
  readonly message: string;
  /** Code from the server's error catalogue; absent: not an error response. */
  readonly code?: string | undefined;
}

/** Failures of last answers, by conversation id. */
export const failures = signal<ReadonlyMap<string, Failure>>(new Map());

/** Output of last answers that the server has not stored, by conversation id. */
export const unstoredAnswers = signal<ReadonlyMap<string, readonly OutputItem[]>>(new Map());

/** Returns the id of a thread's conversation; `undefined`: it has none yet. */
function idOf(shown: Thread): string | undefined {
  switch (shown.state) {
    case "new":
      return undefined;
    case "open":
      return shown.conversation.id;
    default:
      return shown.id;
  }
}

/** Opens a conversation. @param id absent: a new one */
export async function openThread(id: string | undefined): Promise<void> {
  if (id === idOf(thread.value)) return;
  if (id === undefined) {
    thread.value = { state: "new" };
    return;
  }
  thread.value = { state: "reading", id };
  await readThread(id);
}

async function readThread(id: string): Promise<void> {
  try {
    const [conversation, items] = await readConversationWithItems(id);
    if (idOf(thread.value) === id) show(conversation, items);
  } catch (error) {
    if (idOf(thread.value) !== id) return;
    thread.value = { state: "missing", id, reason: messageOf(error) };
  }
}

/** Shows a conversation as stored on the server, with its answer in progress. */
function show(conversation: ConversationObject, items: readonly StoredItem[]): void {
  const { id, active_response_id: active } = conversation;
  thread.value = { state: "open", conversation, items };
  if (active !== null) {
    void follow(id, () => client.events<ResponseEvent>(`/v1/responses/${active}?stream=true`));
  }
}

let refreshQueue = Promise.resolve();

/**
 * Updates the shown conversation after changes made elsewhere.
 * @param id absent: any conversation
 */
export function refreshThread(id?: string): Promise<void> {
  refreshQueue = refreshQueue.then(() => refreshNow(id)).catch(() => undefined);
  return refreshQueue;
}

async function refreshNow(id: string | undefined): Promise<void> {
  const shown = thread.value;
  if (shown.state !== "open" || liveAnswers.value.has(shown.conversation.id)) return;
  const { id: shownId, updated_at } = shown.conversation;
  if (id !== undefined && id !== shownId) return;
  const latestConversation = await client.json<ConversationObject>(`/v1/conversations/${shownId}`);
  const isUnchanged =
    latestConversation.updated_at === updated_at && latestConversation.active_response_id === null;
  if (id === undefined && isUnchanged) return;
  const [conversation, items] = await readConversationWithItems(shownId);
  // Skipped if this tab has changed the conversation in the meantime.
  if (thread.value === shown && !liveAnswers.value.has(shownId)) show(conversation, items);
}

function readConversationWithItems(
  id: string,
): Promise<[ConversationObject, readonly StoredItem[]]> {
  return Promise.all([readConversation(id), readItems(id)]);
}

/** Reads the shown conversation again after a failure. */
export async function readAgain(): Promise<void> {
  const id = idOf(thread.value);
  if (id !== undefined) await readThread(id);
}

/** Returns the settings of the shown conversation. */
export function currentSettings(): ChatSettings {
  return thread.value.state === "open" ? settingsOf(thread.value.conversation) : newSettings.value;
}

/**
 * Changes the settings of the shown conversation and its branches. The next new one has the same
 * model, and otherwise begins with the defaults.
 * @throws {ApiError}
 */
export async function changeSettings(settings: ChatSettings): Promise<void> {
  const shown = thread.value;
  if (shown.state !== "open") {
    newSettings.value = settings;
    return;
  }
  newSettings.value = { ...newSettings.value, model: settings.model };
  const changed = await changeFamily(shown.conversation, (metadata) =>
    withSettings(metadata, settings),
  );
  changed.forEach(showChanged);
}

/** Updates the shown conversation, whose metadata its settings and branches continue. */
export function showChanged(conversation: ConversationObject): void {
  const shown = thread.value;
  if (shown.state === "open" && shown.conversation.id === conversation.id) {
    thread.value = { ...shown, conversation };
  }
}

/**
 * Adds a question to the shown conversation, or starts a conversation with it.
 * @throws {ApiError} if nothing was added
 */
export async function ask(text: string, attachments: readonly Attachment[]): Promise<void> {
  const question = buildQuestion(
    text,
    attachments.flatMap(({ parts }) => parts),
  );
  const shown = thread.value;
  if (shown.state === "open") {
    await add(shown.conversation, [question]);
    void answer(shown.conversation);
    return;
  }
  const metadata = {
    title: deriveTitle(text === "" ? attachments.map(({ name }) => name).join(", ") : text),
    ...toMetadata(newSettings.value),
  };
  await begin(withServers(metadata, newServers.value), [question]);
  // The settings belong to the conversation that has started.
  newSettings.value = { model: newSettings.value.model, sampling: {} };
  newServers.value = [];
}

/**
 * Creates a conversation whose last item is to be answered.
 * @throws {ApiError} if it was not created
 */
export async function begin(
  metadata: Readonly<Record<string, string>>,
  items: readonly NewItem[],
): Promise<void> {
  void answer(await open(metadata, items));
}

/** Creates a conversation, and shows it. @throws {ApiError} if it was not created */
export async function open(
  metadata: Readonly<Record<string, string>>,
  items: readonly NewItem[],
): Promise<ConversationObject> {
  const conversation = await createConversation(metadata, items);
  thread.value = { state: "open", conversation, items: await readItems(conversation.id) };
  goTo({ view: "chat", id: conversation.id });
  return conversation;
}

/** @returns all items of the conversation, if it is still shown @throws {ApiError} */
async function add(
  { id }: ConversationObject,
  items: readonly NewItem[],
): Promise<readonly StoredItem[]> {
  const added = await addItems(id, items).catch((error: unknown) => {
    if (isLocked(error)) void refreshThread(id);
    throw error;
  });
  reportChange(id);
  const shown = thread.value;
  if (shown.state !== "open" || shown.conversation.id !== id) return readItems(id);
  thread.value = { ...shown, items: [...shown.items, ...added] };
  return thread.value.items;
}

/** Whether another client's answer to the same conversation is in progress. */
export function isLocked(error: unknown): boolean {
  return error instanceof ApiError && error.code === "conversation_locked";
}

/** Builds a question as sent in a request. */
export function buildQuestion(text: string, files: readonly FilePart[]): NewItem {
  return {
    type: "message",
    role: "user",
    content: [...files, ...(text === "" ? [] : [{ type: "input_text", text } as const])],
  };
}

/**
 * Submits the output of a call, and continues the answer if no other output is missing.
 * @throws {ApiError}
 */
export async function answerCall(
  conversation: ConversationObject,
  call: ToolCall,
  output: string,
): Promise<void> {
  const type: CallOutput["type"] =
    call.type === "function_call" ? "function_call_output" : "custom_tool_call_output";
  await submitItem(conversation, { type, call_id: call.call_id, output });
}

/**
 * Adds the output of a call, or the approval of one, and continues the answer if nothing else is
 * missing.
 * @throws {ApiError}
 */
export async function submitItem(conversation: ConversationObject, item: NewItem): Promise<void> {
  const items = await add(conversation, [item]);
  if (findOpenCalls(items).length === 0) void answer(conversation);
}

/**
 * Continues in a branch, with another question or a regenerated answer.
 * @param shared items that both conversations have
 * @param question absent: the last question is answered again
 * @throws {ApiError} if no branch was created
 */
export async function branch(
  from: ConversationObject,
  shared: readonly StoredItem[],
  question?: { readonly text: string; readonly files: readonly FilePart[] },
): Promise<void> {
  const newItems = question === undefined ? [] : [buildQuestion(question.text, question.files)];
  await begin(buildBranchMetadata(from, shared.at(-1)?.id ?? ""), [
    ...shared.map(toReference),
    ...newItems,
  ]);
}

/**
 * Requests an answer to the last item of a conversation.
 * @param fields further fields of the request
 */
export async function answer(
  conversation: ConversationObject,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { id } = conversation;
  await follow(id, () =>
    client.events<ResponseEvent>("/v1/responses", {
      method: "POST",
      body: {
        conversation: id,
        background: true,
        stream: true,
        ...withServerTools(toRequestFields(settingsOf(conversation)), conversation.metadata),
        ...fields,
      },
    }),
  );
}

/** Stops an answer in progress, keeping its output so far. @throws {ApiError} */
export async function stop(id: string): Promise<void> {
  const responseId = liveAnswers.value.get(id)?.responseId;
  if (responseId === undefined) return;
  await client.json(`/v1/responses/${responseId}/cancel`, { method: "POST", body: {} });
}

async function follow(id: string, begin: () => AsyncIterable<ResponseEvent>): Promise<void> {
  if (liveAnswers.value.has(id)) return;
  failures.value = withEntry(failures.value, id, undefined);
  unstoredAnswers.value = withEntry(unstoredAnswers.value, id, undefined);
  const speaker = new Speaker(() => idOf(thread.value) === id);
  liveAnswers.value = withEntry(liveAnswers.value, id, { ...waitingAnswer, connection: "open" });
  const renderer = new AnswerRenderer((answer) => {
    liveAnswers.value = withEntry(liveAnswers.value, id, answer);
  });
  let last: LiveAnswer = waitingAnswer;
  let failure: unknown;
  try {
    for await (const live of followAnswer(begin, { client, pause })) {
      if (last.responseId === undefined && live.responseId !== undefined) reportChange(id);
      last = live;
      renderer.set(live);
      speaker.say(textOfAnswer(live), live.state === "ended");
    }
  } catch (error) {
    failure = error;
  }
  renderer.end();
  const code = failure instanceof ApiError ? failure.code : undefined;
  await settle(id, failure === undefined ? last : { ...last, error: messageOf(failure) }, code);
  reportChange(id);
  if (isLocked(failure)) await refreshThread(id);
}

/** Describes why an answer has no items; `undefined`: it has some, or the user stopped it. */
function describeEmptyAnswer({ items, status }: LiveAnswer): string | undefined {
  if (items.length > 0) return undefined;
  if (status === "completed") return "The answer is empty.";
  return status === "incomplete"
    ? "The maximum number of tokens was reached before the answer began."
    : undefined;
}

const NOT_STORED_MESSAGE = "The server did not store this answer.";

/**
 * Replaces the live output of an answer with the items that the server has stored, if there are
 * any.
 */
async function settle(id: string, last: LiveAnswer, code: string | undefined): Promise<void> {
  const { responseId, items: come, error } = last;
  const readResult = await readConversationWithItems(id).catch(messageOf);
  const items = typeof readResult === "string" ? [] : readResult[1];
  const isStored =
    come.length === 0 ||
    items.some((item) => "response" in item && item.response?.id === responseId);
  const reason = typeof readResult === "string" ? readResult : NOT_STORED_MESSAGE;
  const message = error ?? (isStored ? describeEmptyAnswer(last) : reason);
  batch(() => {
    const shown = thread.value;
    if (shown.state === "open" && shown.conversation.id === id && typeof readResult !== "string") {
      thread.value = { state: "open", conversation: readResult[0], items };
    }
    liveAnswers.value = withEntry(liveAnswers.value, id, undefined);
    unstoredAnswers.value = withEntry(unstoredAnswers.value, id, isStored ? undefined : come);
    const failure = message === undefined ? undefined : { message, code };
    failures.value = withEntry(failures.value, id, failure);
  });
}

function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  const changed = new Map(map);
  if (value === undefined) changed.delete(key);
  else changed.set(key, value);
  return changed;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Waits before a reconnect; ends early when the browser is online again. */
async function pause(attempt: number): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  addEventListener("online", () => controller.abort(), { signal });
  await wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt), signal);
  controller.abort();
}
