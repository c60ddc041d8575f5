/** Reports failures of the page's own scripts, to the person and, for the first one, to the service's log. */
import { currentSession, request } from '../parts/api.ts'
import { button, byId } from '../parts/elements.ts'
import { toast } from '../parts/toasts.ts'

export function listenToFailures() {
  addEventListener('error', ({ error }) => tell(error))
  addEventListener('unhandledrejection', ({ reason }) => tell(reason))
}

const action = button('Reload page', () => location.reload(), { class: 'plain' })
const SENTENCE =
  'Something went wrong on this page. It might be incomplete, and your last action might not have been carried out.'
let isLogged = false
/** A body has at most 8 KiB, and a character up to three bytes. */
const LOGGED_LENGTH = 2_500

function tell(error: unknown) {
  // Ignore scripts of browser extensions and what is not an error.
  if (!(error instanceof Error && error.stack?.includes(location.origin))) return
  // A timer can fail repeatedly.
  if (!action.isConnected) toast(SENTENCE, { isProblem: true, action })
  if (!isLogged) void log(`${error}\n${error.stack}`.slice(0, LOGGED_LENGTH))
  isLogged = true
}

async function log(stack: string) {
  const { screen = '' } = byId('main').dataset
  try {
    await request('POST /api/failure', currentSession().token, { body: { screen, stack } })
  } catch {} // nothing else can report it
}
