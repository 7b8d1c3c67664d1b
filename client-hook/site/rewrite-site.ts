import { rootsOf } from './parse-page.ts'
import { addressOf, baseOf, hashOf, type Place, pathOf, placeOf } from './site-path.ts'
import type { SiteUrls } from './site-urls.ts'
import { candidatesOf } from './srcset.ts'
import { filesOf, importsOf } from './style-text.ts'

const URL_ATTRIBUTES = ['src', 'href', 'poster', 'data', 'xlink:href', 'background']
const SET_ATTRIBUTES = ['srcset', 'imagesrcset']
/** What `link` loads in a frame; its other relations are addresses only. */
const LOADED_LINKS = /\b(stylesheet|preload|modulepreload|manifest)\b/i

/** The files of the site that a browser loads with the page, without those that its style sheets name. */
export function referencesOf(page: Document, path: string): string[] {
  const from = baseOf(page, path)
  const found: string[] = []
  const add = (reference: string) => {
    const to = pathOf(reference, from)
    if (to !== undefined) found.push(to)
  }
  for (const element of elementsOf(page)) {
    if (!loads(element)) continue
    for (const name of URL_ATTRIBUTES)
      if (!isFrame(element) || name === 'background') add(element.getAttribute(name) ?? '#')
    for (const name of SET_ATTRIBUTES) {
      for (const [reference] of candidatesOf(element.getAttribute(name) ?? '')) add(reference)
    }
    found.push(...filesOf(element.getAttribute('style') ?? '', from))
  }
  return found
}

/** The files that style sheets load: what `css` imports, and with `all` everything that it names. */
export function referencesOfCss(css: string, path: string, all: boolean): string[] {
  const from = addressOf(path)
  return [...importsOf(css, from), ...(all ? filesOf(css, from) : [])]
}

/** What a page has besides its HTML: inner frames by their numbers, and a page that it leads to by itself. */
export interface PageParts {
  /** What its references are relative to. */
  from: string
  frames: { open?: Place; html?: string }[]
  /** After so many seconds. */
  refresh?: { seconds: number; to: Place } | undefined
}

/**
 * Replaces in a page every reference to a file of the site that is loaded by a `blob:` URL of its verified bytes, because a frame of
 * an opaque origin cannot load them by path. Its links do not change: they lead nowhere by themselves. Inner frames get the number
 * by which their documents are known.
 */
export function rewriteSite(page: Document, here: Place, urls: SiteUrls): PageParts {
  const from = baseOf(page, here.path)
  const parts: PageParts = { from, frames: [] }
  const base = page.querySelector('base[href]')
  // The references that are not replaced are those of the base, if it is another host.
  if (pathOf('.', from) === undefined) base?.setAttribute('href', from)
  else base?.removeAttribute('href')
  for (const element of elementsOf(page)) {
    if (isFrame(element)) takeFrame(element, parts, here)
    else if (element.localName === 'meta') takeMeta(element, parts, here)
    if (loads(element)) replaceReferences(element, from, urls)
    // The author's hash is that of the original file; a rewritten style sheet has another.
    if (element.localName === 'link') element.removeAttribute('integrity')
    const style = element.getAttribute('style')
    if (style) element.setAttribute('style', urls.inStyle(style, from))
    if (element.localName === 'style') {
      element.textContent = urls.inCss(element.textContent ?? '', from, element.getAttribute('media') ?? '')
    }
  }
  return parts
}

function replaceReferences(element: Element, from: string, urls: SiteUrls): void {
  for (const name of URL_ATTRIBUTES) {
    const reference = element.getAttribute(name)
    const to = reference === null || isFrame(element) ? undefined : pathOf(reference, from)
    const url = to === undefined ? undefined : urls.of(to, element.getAttribute('media') ?? '')
    if (reference !== null && url !== undefined) element.setAttribute(name, url + hashOf(reference, from))
  }
  for (const name of SET_ATTRIBUTES) {
    const set = element.getAttribute(name)
    if (set !== null) element.setAttribute(name, urls.inSrcset(set, from))
  }
}

/** The content of a frame is written into an empty document, whose address the page sets (site/show-page.ts). */
function takeFrame(frame: Element, { from, frames }: PageParts, here: Place): void {
  const html = frame.getAttribute('srcdoc')
  const open = placeOf(frame.getAttribute('src') ?? 'about:blank', from, here)
  if (html === null && !open) return
  frame.removeAttribute('srcdoc')
  frame.removeAttribute('src')
  frame.setAttribute('data-hook-frame', String(frames.length))
  frames.push(html === null ? { ...(open && { open }) } : { html: `<!doctype html>${html}` })
}

function takeMeta(meta: Element, parts: PageParts, here: Place): void {
  const name = meta.getAttribute('http-equiv')?.toLowerCase()
  const content = meta.getAttribute('content') ?? ''
  // The files of the site have other addresses here than the policy means by its own origin.
  if (name === 'content-security-policy') meta.setAttribute('content', content.replaceAll("'self'", 'blob:'))
  if (name !== 'refresh') return
  meta.remove()
  const [, seconds = '', reference = ''] =
    /^\s*(\d+)[.\d]*(?:[;,\s]\s*(?:url\s*=\s*)?(?=["']?)["']?([^"']*))?/i.exec(content) ?? []
  const to = placeOf(reference.trim(), parts.from, here)
  if (seconds !== '' && to) parts.refresh ??= { seconds: Number(seconds), to }
}

function elementsOf(page: Document): Element[] {
  return rootsOf(page).flatMap((root) => [...root.querySelectorAll('*')])
}

function isFrame({ localName }: Element): boolean {
  return localName === 'iframe' || localName === 'frame'
}

function loads(element: Element): boolean {
  if (/^(a|area|base)$/.test(element.localName)) return false
  if (element.localName === 'link') return LOADED_LINKS.test(element.getAttribute('rel') ?? '')
  // Scripts run in the frame.
  return !(element.localName === 'script' && element.hasAttribute('nomodule'))
}
