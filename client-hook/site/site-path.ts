/** Stands for the site: references are resolved against it, and nothing is ever loaded from it. */
const ROOT = 'https://site.invalid/'

/** The address that stands for a file of the site. */
export function addressOf(path: string): string {
  return new URL(path.split('/').map(encodeURIComponent).join('/'), ROOT).href
}

/** The address that the references of a page are relative to. */
export function baseOf(page: Document, path: string): string {
  const base = page.querySelector('base[href]')?.getAttribute('href') ?? ''
  const address = addressOf(path)
  return URL.canParse(base, address) ? new URL(base, address).href : address
}

/** The path in the site that a reference means; undefined if it leads elsewhere. */
export function pathOf(reference: string, from: string): string | undefined {
  // Of no file: a place in the document itself, such as a gradient.
  if (/^\s*#/.test(reference)) return undefined
  const url = resolve(reference, from)
  return url && decode(url.pathname.slice(1))
}

/** The fragment of a reference, with its sign. */
export function hashOf(reference: string, from: string): string {
  return resolve(reference, from)?.hash ?? ''
}

/** A page of the site with the query and the fragment of the reference to it; `path` is decoded. */
export interface Place {
  path: string
  query: string
  hash: string
}

/** The page of the site that a link means; undefined if it leads elsewhere. `here` is the page that it is in. */
export function placeOf(reference: string, from: string, here: Place): Place | undefined {
  // In the document itself, also where a base is set to another page of the site.
  if (/^\s*(#|$)/.test(reference) && from.startsWith(ROOT)) return { ...here, hash: reference.trim() }
  const url = resolve(reference, from)
  if (!url) return undefined
  return { path: decode(url.pathname.slice(1)), query: url.search, hash: url.hash }
}

function resolve(reference: string, from: string): URL | undefined {
  if (!URL.canParse(reference, from)) return undefined
  const url = new URL(reference, from)
  return url.href.startsWith(ROOT) ? url : undefined
}

/** What is percent-encoded, unless it is not valid. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
