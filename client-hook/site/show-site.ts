import type { FrameAnswer, FrameMessage } from '../show/show-in-frame.ts'
import { rewriteSite } from './rewrite-site.ts'

/**
 * Shows a page of a site in the frame. Its source is sent with the message, because a frame of an opaque origin has no
 * cache in common with the page and could not load it without network.
 */
export function showSite(html: string, message: FrameMessage, answer: (message: FrameAnswer) => void): void {
  const { path = '', files = [] } = message
  const written = rewriteSite(html, path, files)
  document.open()
  document.write(written)
  document.close()
  // After document.write, which removes listeners.
  addEventListener('click', (event) => {
    const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement)
    const to = link?.dataset.hookPath
    if (event.defaultPrevented || to === undefined) return
    event.preventDefault()
    // The helper opens that page; the frame loads nothing.
    if (to !== path) answer({ open: to })
  })
}
