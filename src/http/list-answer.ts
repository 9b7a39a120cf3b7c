import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FastifyReply } from "fastify";

/** The list of an answer that consists of it and some other fields. */
export interface AnswerList<Item> {
  /** The field that it is in. */
  readonly name: string;
  readonly items: readonly Item[];
  readonly toJson: (item: Item, index: number) => unknown;
  /** Items that are printed before other requests get their turn. */
  readonly itemsPerTurn: number;
}

/**
 * Sends a JSON object with a list, which may be long: two million numbers take a second to print, and
 * other clients' streams would stand still for it.
 * @param fields beside the list
 */
export function sendListAnswer<Item>(
  reply: FastifyReply,
  fields: object,
  list: AnswerList<Item>,
): FastifyReply {
  const { name, items, toJson, itemsPerTurn } = list;
  if (items.length <= itemsPerTurn) return reply.send({ ...fields, [name]: items.map(toJson) });
  reply.type("application/json; charset=utf-8");
  return reply.send(Readable.from(printInTurns(fields, list)));
}

/** The JSON text of such an object, in pieces of an event-loop turn each. */
export async function* printInTurns<Item>(
  fields: object,
  { name, items, toJson, itemsPerTurn }: AnswerList<Item>,
): AsyncGenerator<string, void> {
  const head = JSON.stringify({ ...fields, [name]: [] });
  // The list is the last field.
  yield head.slice(0, -"]}".length);
  for (let start = 0; start < items.length; start += itemsPerTurn) {
    await setImmediate();
    const printed = items
      .slice(start, start + itemsPerTurn)
      .map((item, index) => JSON.stringify(toJson(item, start + index)));
    yield (start === 0 ? "" : ",") + printed.join(",");
  }
  yield "]}";
}
