/**
 * Accessibility fixes for Scalar's page that no setting offers: names for its copy buttons, valid roles, and distinct
 * names for landmarks. Scalar adds elements while it is used, so a MutationObserver applies the fixes to each. A fix
 * has no effect once Scalar has it itself. Not fixed: Scalar's dialog has a second `main`.
 */

const MENDS: readonly (readonly [selector: string, mend: (element: Element) => void])[] = [
  ['[class*="group/copy-button"]:not([aria-label])', (button) => button.setAttribute('aria-label', copyName(button))],
  ['[class*="group/copy-button"][aria-controls]', (button) => dropDangling(button, 'aria-controls')],
  ['.cm-content[contenteditable="false"]:not([aria-label])', (text) => text.setAttribute('aria-label', 'The answer')],
  ['.cm-content:not([aria-label])', (text) => text.setAttribute('aria-label', 'The body')],
  ['button[role="none"]', (button) => button.removeAttribute('role')],
  ['[role="combobox"]:not([aria-expanded])', (editor) => editor.setAttribute('aria-expanded', 'false')],
  // Another region has the same name. So do the notices of the page and those of its dialog.
  [
    '.tag-section-container[role="region"], .references-rendered section.contents',
    (box) => box.setAttribute('role', 'group'),
  ],
  [
    '[role="dialog"] section[aria-label^="Notifications"]:not([aria-label*="requests"])',
    (notices) => notices.setAttribute('aria-label', 'Notifications of requests'),
  ],
]

export function keepAccessible(page: HTMLElement): void {
  const mend = () => {
    for (const [selector, change] of MENDS) for (const element of page.querySelectorAll(selector)) change(element)
  }
  new MutationObserver(mend).observe(page, { childList: true, subtree: true })
  mend()
}

function copyName(button: Element): string {
  if (button.closest('[role="dialog"]') !== null) return 'Copy'
  const isJson = button.parentElement?.querySelector('.language-json') !== null
  return isJson ? 'Copy the example' : 'Copy the request'
}

/** Removes an attribute that refers to an element that does not exist. */
function dropDangling(element: Element, attribute: string) {
  if (document.getElementById(element.getAttribute(attribute) ?? '') === null) element.removeAttribute(attribute)
}
