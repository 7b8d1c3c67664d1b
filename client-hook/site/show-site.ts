import type { FrameAnswer, FrameMessage } from '../lazy/show-in-frame.ts'
import { chooseSources } from './choose-sources.ts'
import { LazyStyles } from './lazy-styles.ts'
import { referencesOf, referencesOfCss, rewriteSite, SiteUrls } from './rewrite-site.ts'
import { SiteFiles } from './site-files.ts'

/**
 * Shows a page of a site in the frame, with the files that it asks the helper for. Its source is sent with the message,
 * because a frame of an opaque origin has no cache in common with the page and could not load it without network.
 */
export function showSite(html: string, message: FrameMessage, answer: (message: FrameAnswer) => void): void {
  writePage(html, message, answer).then(
    () => answer({ written: true }),
    (error) => answer({ error: String(error) }),
  )
}

async function writePage(
  html: string,
  { path = '', complete = false }: FrameMessage,
  answer: (message: FrameAnswer) => void,
): Promise<void> {
  const files = new SiteFiles()
  const page = new DOMParser().parseFromString(html, 'text/html')
  if (!complete) await chooseSources(page)
  const styles = [...page.querySelectorAll('style')].map(({ textContent }) => textContent ?? '')
  let wanted = [...referencesOf(page, path), ...styles.flatMap((css) => referencesOfCss(css, path, complete))]
  for (;;) {
    const loaded = await files.load(wanted)
    if (loaded.length === 0) break
    wanted = loaded
      .filter(({ mediaType }) => mediaType.startsWith('text/css'))
      .flatMap((file) => referencesOfCss(new TextDecoder().decode(file.bytes), file.path, complete))
  }
  await files.connected()
  const urls = new SiteUrls(files, (all) => (complete ? undefined : new LazyStyles(files, (to) => all.of(to))))
  const written = rewriteSite(page, path, urls)
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
  await urls.lazy?.start()
}
