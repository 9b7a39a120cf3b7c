import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteAccess } from "../core/api-keys.js";
import type { AnswerOperation } from "../core/request-observer.js";
import type { PrintError, StatusOf } from "./error-handler.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent: nobody has said what the route needs, and it is the operator's alone. */
    access?: RouteAccess;
    operation?: AnswerOperation;
  }
}

/**
 * A route: all that the server knows of it. Keys, staggered starts, traces and the API's description are made
 * from these objects, and there is no other list of routes.
 * @typeParam Context what its handler needs of the server
 * @typeParam Description how the API's description shows it
 */
export interface Route<Context, Description = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it, below the prefix of its group: `/v1/models/{id}`. */
  readonly path: string;
  /** What it asks of whoever calls it. */
  readonly access: RouteAccess;
  /** `expensive`: its starts are staggered; see `stagger-requests.ts`. Absent: it costs little to begin with. */
  readonly cost?: "expensive";
  /** What its answers are, in traces; absent: it makes none. */
  readonly operation?: AnswerOperation;
  /** Absent: the server's. */
  readonly maxBodyBytes?: number;
  /**
   * When its handler runs. `before-body`: as soon as the key is checked, whatever version and body come, for what is
   * refused in any case. Absent: when the body is parsed.
   */
  readonly runs?: "before-body";
  readonly description: Description;
  /** Like a handler of Fastify: what it returns is sent, unless it is the reply. */
  readonly handle: (
    context: Context,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** How the errors of a group's routes are written. */
export interface ErrorEnvelope {
  readonly toBody: PrintError;
  /** Absent: the catalogue's. */
  readonly statusOf?: StatusOf;
}

/** Routes that have something in common. */
export interface RouteGroup<Context, Description = unknown> {
  /** Of the paths of all of its routes; what is not found below it is answered in its envelope too. @default "" */
  readonly prefix?: string;
  /** Absent: the server's. */
  readonly errors?: ErrorEnvelope;
  /** Hooks and parsers of its own. */
  readonly setUp?: (scope: FastifyInstance, context: Context) => void;
  readonly routes: readonly Route<Context, Description>[];
}
