import { candidatesOf } from './srcset.ts'

/** Longest wait for the browser's choice, in milliseconds; without one, all sources are loaded. */
const CHOOSING_MS = 300

/**
 * Leaves of each picture, video and sound of a page only the source that this browser would load: others would be loaded
 * for nothing.
 */
export async function chooseSources(page: Document): Promise<void> {
  const pictures = [...page.querySelectorAll('picture, img[srcset]')].filter(
    (element) => element.localName === 'picture' || element.parentElement?.localName !== 'picture',
  )
  await Promise.all(pictures.map(choosePicture))
  for (const media of page.querySelectorAll('video, audio')) {
    const probe = document.createElement(media.localName === 'audio' ? 'audio' : 'video')
    const sources = [...media.querySelectorAll<HTMLSourceElement>('source[src]')]
    const chosen = sources.find(({ type }) => type === '' || probe.canPlayType(type) !== '')
    for (const source of sources) if (source !== chosen) source.removeAttribute('src')
  }
}

/** Lets the browser choose among sources of no content in place of those of the picture. */
async function choosePicture(original: Element): Promise<void> {
  const copy = original.cloneNode(true)
  if (!(copy instanceof HTMLElement)) return
  const image = copy instanceof HTMLImageElement ? copy : copy.querySelector('img')
  const originals = [original, ...original.querySelectorAll('source, img')]
  const copies = [copy, ...copy.querySelectorAll('source, img')]
  const candidates: { element: Element; name: 'src' | 'srcset'; text: string }[] = []
  const stand = (element: Element, name: 'src' | 'srcset', text: string, descriptor = '') => {
    candidates.push({ element, name, text })
    // Not `data:`, which browsers prefer to what they would have to load.
    return `about:invalid#${candidates.length - 1} ${descriptor}`.trim()
  }
  copies.forEach((one, index) => {
    const element = originals[index]
    if (!element) return
    const srcset = one.getAttribute('srcset')
    if (srcset !== null) {
      const stood = candidatesOf(srcset).map(([url, descriptor]) =>
        stand(element, 'srcset', `${url} ${descriptor}`, descriptor),
      )
      one.setAttribute('srcset', stood.join(', '))
    }
    const src = one.localName === 'img' && one.getAttribute('src')
    if (src) one.setAttribute('src', stand(element, 'src', src))
    one.removeAttribute('loading')
  })
  copy.hidden = true
  document.body.append(copy)
  // The browser chooses in a task of its own, and then fires `error`: there is no such file. Without any source it fires nothing.
  await new Promise((resolve) => {
    image?.addEventListener('error', resolve)
    setTimeout(resolve, CHOOSING_MS)
  })
  const chosen = candidates[Number(/^about:invalid#(\d+)$/.exec(image?.currentSrc ?? '')?.[1])]
  copy.remove()
  if (!chosen) return
  for (const { element, name } of candidates) if (name === 'srcset') element.removeAttribute('srcset')
  if (chosen.name === 'srcset') {
    chosen.element.setAttribute('srcset', chosen.text)
    for (const { element, name } of candidates) if (name === 'src') element.removeAttribute('src')
  }
}
