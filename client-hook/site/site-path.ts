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
  if (/^\s*(#|data:|blob:)/.test(reference) || !URL.canParse(reference, from)) return undefined
  const url = new URL(reference, from)
  if (!url.href.startsWith(ROOT)) return undefined
  const path = url.pathname.slice(1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
