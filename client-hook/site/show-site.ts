import type { FrameAnswer, FrameMessage } from '../lazy/show-in-frame.ts'
import { showPage } from './show-page.ts'
import { SiteHost } from './site-host.ts'

/**
 * Shows a site: in `/frame`, which calls it so, its pages in a frame inside; in such a frame, where it is called without arguments,
 * one page. Its source is sent with the message, because a frame of an opaque origin has no cache in common with the page and could
 * not load it without network.
 */
export function showSite(
  _?: string,
  message?: FrameMessage,
  answer?: (message: FrameAnswer) => void,
): ((port: MessagePort, script: string) => void) | undefined {
  if (!message || !answer) return showPage
  new SiteHost(message, answer).start()
  return undefined
}
