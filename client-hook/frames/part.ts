import type { FramesPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { findHost } from './find-host.ts'
import { openSite } from './open-site.ts'

/** Hosts on which no worker could be started, until the page is closed. */
const unusable = new Set<string>()

export const part: FramesPart = {
  async open(tools, frame, content) {
    const allowed = (frame.closest('[data-allow]')?.getAttribute('data-allow') ?? tools.dataset.allow ?? '').split(
      /\s+/,
    )
    const host = await findHost(tools, content, allowed)
    if (!host || unusable.has(host.storage)) return false
    const isOpen = await openSite(frame, content, host, allowed)
    if (!isOpen) unusable.add(host.storage)
    return isOpen
  },
}
providePart(part)
