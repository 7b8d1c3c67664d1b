import type { FrameAnswer, FrameMessage } from '../show/show-in-frame.ts'
import { rewriteSite } from './rewrite-site.ts'

/**
 * Shows a page of a site in the frame. Its source goes there with the message: a frame of an opaque origin shares no
 * cache with anyone, and without network could not load it.
 */
export function showSite(html: string, message: FrameMessage, answer: (message: FrameAnswer) => void): void {
  const { path = '', files = [] } = message
  const written = rewriteSite(html, path, files)
  document.open()
  document.write(written)
  document.close()
  // Behind writing, which takes listeners away.
  addEventListener('click', (event) => {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
    const to = link?.dataset.hookPath
    if (event.defaultPrevented || to === undefined) return
    event.preventDefault()
    // The helper opens that page: nothing is loaded from anywhere else.
    if (to !== path) answer({ open: to })
  })
}
