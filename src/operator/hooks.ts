/** The hooks of the operator port, in the order in which a request meets them. */
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
  readonly checkProtocol: onRequestHookHandler
  readonly awaitTurn: onRequestHookHandler
  readonly checkHost: onRequestAsyncHookHandler
  readonly noteRequest: onRequestHookHandler
  readonly nameFailure: onSendHookHandler
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
  readonly refuseUnknown: preParsingHookHandler
  readonly limitBody: preParsingHookHandler
  /** The session might have ended while the body arrived. */
  readonly checkSessionAgain: preValidationAsyncHookHandler
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
