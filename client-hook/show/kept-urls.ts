/** Bytes of pictures whose `blob:` URLs are kept, so that they can be opened in a tab, saved, or shown a second time. */
const MAX_BYTES = 128 << 20
/** Milliseconds between a change and the look for URLs that nothing uses. */
const DELAY_MS = 5000

/** A `blob:` URL that an element was filled with. */
export interface KeptUrl {
  url: string
  bytes: number
  /** The element has read all of it. Media is read while it plays. */
  isRead: boolean
}

/** By URL, the oldest first. */
const kept = new Map<string, KeptUrl & { element: WeakRef<Element> }>()
/** The URL of each element. */
const current = new WeakMap<Element, string>()
const forgotten = new FinalizationRegistry(() => schedule())
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * Keeps a URL as long as its element or another one in the document uses it. When all are more than 128 MiB, the oldest
 * are revoked that their elements have read.
 */
export function keepUrl(element: Element, one: KeptUrl): void {
  kept.set(one.url, { ...one, element: new WeakRef(element) })
  current.set(element, one.url)
  forgotten.register(element, undefined)
  schedule()
}

/** Which URLs to revoke: those that are not used, and then the oldest read ones beyond `maxBytes`. Pure. */
export function chooseRevoked(
  all: readonly KeptUrl[],
  isUsed: (url: string) => boolean,
  maxBytes = MAX_BYTES,
): string[] {
  const unused = all.filter(({ url }) => !isUsed(url))
  const used = all.filter((one) => !unused.includes(one))
  let bytes = used.reduce((sum, one) => sum + one.bytes, 0)
  const old = used.filter((one) => {
    if (!one.isRead || bytes <= maxBytes) return false
    bytes -= one.bytes
    return true
  })
  return [...unused, ...old].map(({ url }) => url)
}

function schedule(): void {
  if (timer === undefined) timer = setTimeout(revoke, DELAY_MS)
}

function revoke(): void {
  timer = undefined
  const inDocument = new Set<string>()
  for (const name of ['src', 'href', 'srcset', 'data'])
    for (const element of document.querySelectorAll(`[${name}^="blob:"]`))
      inDocument.add(element.getAttribute(name) ?? '')
  const isUsed = (url: string) => {
    const element = kept.get(url)?.element.deref()
    return (element !== undefined && current.get(element) === url) || inDocument.has(url)
  }
  for (const url of chooseRevoked([...kept.values()], isUsed)) {
    kept.delete(url)
    URL.revokeObjectURL(url)
  }
}
