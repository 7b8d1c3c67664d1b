import type { Place } from './site-path.ts'

/**
 * What the documents of a site show where links have led, by their addresses: the numbers of the frames that each is in, with dots
 * between them, and `''` for the outermost.
 */
export type Shown = Readonly<Record<string, Place>>

interface Change {
  address: string
  to: Place
  /** Whether it is another page, and not another place in it. */
  isPage: boolean
}

/** Whether an address is of a document inside another one. */
export function isBelow(address: string, outer: string): boolean {
  return address !== outer && (outer === '' || address.startsWith(`${outer}.`))
}

/** What is shown after a document has gone to a page; what was in frames of the page before is gone. */
export function shownAfter(shown: Shown, address: string, to: Place, isPage: boolean): Shown {
  const kept = Object.entries(shown).filter(([other]) => !isPage || !isBelow(other, address))
  return { ...Object.fromEntries(kept), [address]: to }
}

/**
 * What must change in the documents, from one entry of the history to another: each once, as a page brings what is in its frames.
 * `firstOf` is what a document shows that no link has led elsewhere.
 */
export function changesOf(before: Shown, next: Shown, firstOf: (address: string) => Place | undefined): Change[] {
  const addresses = [...new Set([...Object.keys(before), ...Object.keys(next)])].sort(
    (one, other) => one.length - other.length,
  )
  const changes: Change[] = []
  for (const address of addresses) {
    const from = before[address] ?? firstOf(address)
    const to = next[address] ?? firstOf(address)
    if (!to || changes.some((change) => change.isPage && isBelow(address, change.address))) continue
    const isPage = from?.path !== to.path || from.query !== to.query
    if (isPage || from.hash !== to.hash) changes.push({ address, to, isPage })
  }
  return changes
}
