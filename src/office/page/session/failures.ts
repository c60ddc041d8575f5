/**
 * What fails in the page itself, as where a script meets an answer that it does not understand. It leaves a screen half
 * drawn, or a button without effect: the person is told, and the service's log gets the first failure.
 */
import { currentSession, request } from '../parts/api.ts'
import { button, byId } from '../parts/elements.ts'
import { toast } from '../parts/notices.ts'

export function listenToFailures() {
  addEventListener('error', ({ error }) => tell(error))
  addEventListener('unhandledrejection', ({ reason }) => tell(reason))
}

// The browser asks before what is typed would be lost.
const action = button('Load the page again', () => location.reload(), { class: 'plain' })
let isLogged = false
/** A body has 8 KiB at most, and a character up to three bytes. */
const LOGGED_LENGTH = 2_500

function tell(error: unknown) {
  // Scripts of the browser's extensions fail too, and not all that it reports is an error.
  if (!(error instanceof Error && error.stack?.includes(location.origin))) return
  // What a timer does may fail again and again.
  if (!action.isConnected)
    toast('This page has failed: it may not show all, and what you did last may not have been done.', {
      isProblem: true,
      action,
    })
  if (!isLogged) void log(`${error}\n${error.stack}`.slice(0, LOGGED_LENGTH))
  isLogged = true
}

/** Without a session nothing is logged. */
async function log(stack: string) {
  const { screen = '' } = byId('main').dataset
  try {
    await request('POST /api/failure', currentSession().token, { body: { screen, stack } })
  } catch {
    // There is nobody else to tell.
  }
}
