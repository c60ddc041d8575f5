/**
 * The hooks of the operator port, in the order in which a request meets them. Fastify runs the hooks of one kind in the
 * order in which they are added, and those of the port before those of the office.
 */
import type {
  FastifyInstance,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
  onResponseHookHandler,
  onSendAsyncHookHandler,
  onSendHookHandler,
  preHandlerHookHandler,
  preParsingHookHandler,
  preValidationAsyncHookHandler,
} from 'fastify'

export interface PortHooks {
  /** Refuses what is not HTTP/1.x. */
  readonly checkProtocol: onRequestHookHandler
  /** Keeps pipelined requests in order. */
  readonly awaitTurn: onRequestHookHandler
  readonly checkHost: onRequestAsyncHookHandler
  /** Notes the request for the end of its connection. */
  readonly noteRequest: onRequestHookHandler
  readonly nameFailure: onSendHookHandler
  /** Ends connections whose body or response does not progress. */
  readonly limitTime: onSendHookHandler
  readonly logFailure: onResponseHookHandler
}

export function addPortHooks(server: FastifyInstance, hooks: PortHooks): void {
  server.addHook('onRequest', hooks.checkProtocol)
  server.addHook('onRequest', hooks.awaitTurn)
  server.addHook('onRequest', hooks.checkHost)
  server.addHook('onRequest', hooks.noteRequest)
  server.addHook('onSend', hooks.nameFailure)
  server.addHook('onSend', hooks.limitTime)
  server.addHook('onResponse', hooks.logFailure)
}

export interface OfficeHooks {
  readonly checkSession: onRequestAsyncHookHandler
  /** Answers 404 before the body is read. */
  readonly refuseUnknown: preParsingHookHandler
  readonly limitBody: preParsingHookHandler
  /** The body may arrive long after the head. */
  readonly checkSessionAgain: preValidationAsyncHookHandler
  /** Gives each request a turn of the event loop. */
  readonly awaitTurn: preHandlerHookHandler
  readonly compress: onSendAsyncHookHandler
  readonly limitMemory: onSendAsyncHookHandler
}

export function addOfficeHooks(office: FastifyInstance, hooks: OfficeHooks): void {
  office.addHook('onRequest', hooks.checkSession)
  office.addHook('preParsing', hooks.refuseUnknown)
  office.addHook('preParsing', hooks.limitBody)
  office.addHook('preValidation', hooks.checkSessionAgain)
  office.addHook('preHandler', hooks.awaitTurn)
  office.addHook('onSend', hooks.compress)
  office.addHook('onSend', hooks.limitMemory)
}
