import type { FromPage } from './messages.ts'
import type { PageParts } from './rewrite-site.ts'
import { type Place, placeOf } from './site-path.ts'

const XLINK = 'http://www.w3.org/1999/xlink'

/**
 * Follows in a page what leads from it: links, forms, and a refresh. Nothing of it would by itself, as no reference of the page means
 * anything relative to its address. To be called when the page is written, so that its own listeners come first.
 */
export function followPage(here: Place, { from, refresh }: PageParts, tell: (message: FromPage) => void): void {
  const follow = (reference: string, target: string | null | undefined, query?: string) => {
    const to = placeOf(reference, from, here)
    if (!to) tell({ away: reference })
    else tell({ open: query === undefined ? to : { ...to, query }, target: target ?? '' })
  }
  const baseTarget = () => document.querySelector('base[target]')?.getAttribute('target')

  addEventListener('click', (event) => {
    const { button, ctrlKey, metaKey, shiftKey, altKey } = event
    if (event.defaultPrevented || button > 0 || ctrlKey || metaKey || shiftKey || altKey) return
    const link = event.composedPath().find(isLink)
    const reference = link?.getAttribute('href') ?? link?.getAttributeNS(XLINK, 'href')
    if (!link || typeof reference !== 'string' || /^\s*(javascript|mailto|tel|blob|data):/i.test(reference)) return
    event.preventDefault()
    follow(reference, link.getAttribute('target') ?? baseTarget())
  })
  const submit = (form: HTMLFormElement, submitter: HTMLElement | null) => {
    const attribute = (name: string) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name)
    const method = attribute('method')?.toLowerCase()
    if (method === 'dialog') return false
    // A stored site takes nothing that is sent to it.
    if (method === 'post') tell({ away: attribute('action') ?? '' })
    else {
      const fields = new URLSearchParams()
      for (const [name, value] of new FormData(form))
        fields.append(name, typeof value === 'string' ? value : value.name)
      if (submitter instanceof HTMLButtonElement || submitter instanceof HTMLInputElement) {
        if (submitter.name !== '') fields.append(submitter.name, submitter.value)
      }
      follow(attribute('action') ?? '', attribute('target') ?? baseTarget(), `?${fields}`)
    }
    return true
  }
  addEventListener('submit', (event) => {
    const { target, submitter, defaultPrevented } = event
    if (!defaultPrevented && target instanceof HTMLFormElement && submit(target, submitter)) event.preventDefault()
  })
  // This fires no event, and Chromium would show an empty page.
  HTMLFormElement.prototype.submit = function () {
    submit(this, null)
  }
  // Whatever else leads away, such as `location`, is stopped by the policy of `/frame`, and in Chromium after the page has gone.
  addEventListener('pagehide', () => tell({ left: true }))
  if (refresh) setTimeout(() => tell({ open: refresh.to, target: '', replaces: true }), refresh.seconds * 1000)
}

/** In HTML or SVG. */
function isLink(target: EventTarget): target is Element {
  return (
    target instanceof Element &&
    /^a(rea)?$/.test(target.localName) &&
    (target.hasAttribute('href') || target.hasAttributeNS(XLINK, 'href'))
  )
}
