import type { SiteFile } from '../content.ts'
import type { LazyStyles } from './lazy-styles.ts'
import type { SiteFiles } from './site-files.ts'
import { addressOf, baseOf, pathOf } from './site-path.ts'
import { filesOf, importsOf, replaceUrls, withoutFonts } from './style-text.ts'

const URL_ATTRIBUTES = ['src', 'href', 'poster', 'data', 'xlink:href']
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
  for (const element of page.querySelectorAll('*')) {
    if (!loads(element)) continue
    for (const name of URL_ATTRIBUTES) add(element.getAttribute(name) ?? '#')
    for (const [, , , reference = ''] of (element.getAttribute('srcset') ?? '').matchAll(SRCSET)) add(reference)
    found.push(...filesOf(element.getAttribute('style') ?? '', from))
  }
  return found
}

/** The files that style sheets load: what `css` imports, and with `all` everything that it names. */
export function referencesOfCss(css: string, path: string, all: boolean): string[] {
  const from = addressOf(path)
  return [...importsOf(css, from), ...(all ? filesOf(css, from) : [])]
}

/**
 * The HTML of a page with every reference to a file of the site that is loaded replaced by a `blob:` URL of its verified
 * bytes, because a frame of an opaque origin cannot load them by path. Links to pages of the site are moved to the
 * attribute `data-hook-path`. Other references do not change. `urls` also replaces those of style sheets.
 */
export function rewriteSite(page: Document, path: string, urls: SiteUrls): string {
  const from = baseOf(page, path)
  page.querySelector('base[href]')?.removeAttribute('href')
  for (const element of page.querySelectorAll('*')) {
    const isLink = element.localName === 'a' || element.localName === 'area'
    for (const name of URL_ATTRIBUTES) {
      const to = pathOf(element.getAttribute(name) ?? '#', from)
      if (to === undefined) continue
      const url = isLink || !loads(element) ? undefined : urls.of(to, element.getAttribute('media') ?? '')
      if (isLink) element.setAttribute('data-hook-path', to)
      else if (url !== undefined) element.setAttribute(name, url)
    }
    // The author's hash is that of the original file; a rewritten style sheet has another.
    if (element.localName === 'link') element.removeAttribute('integrity')
    const srcset = element.getAttribute('srcset')
    if (srcset !== null) element.setAttribute('srcset', urls.inSrcset(srcset, from))
    const style = element.getAttribute('style')
    if (style?.includes('url(')) element.setAttribute('style', urls.inStyle(style, from))
    if (element.localName === 'style') {
      element.textContent = urls.inCss(element.textContent ?? '', from, element.getAttribute('media') ?? '')
    }
  }
  // As it is written: others than that of HTML have modes of their own.
  const doctype = page.doctype ? new XMLSerializer().serializeToString(page.doctype) : ''
  return doctype + page.documentElement.outerHTML
}

const SRCSET = /(^|,)(\s*)([^\s,]+)/g

function loads(element: Element): boolean {
  if (element.localName === 'a' || element.localName === 'area' || element.localName === 'base') return false
  if (element.localName === 'link') return LOADED_LINKS.test(element.getAttribute('rel') ?? '')
  // Scripts run in the frame.
  return !element.closest('noscript') && !(element.localName === 'script' && element.hasAttribute('nomodule'))
}

/** `blob:` URLs of the loaded files of a site; `lazy` has what style sheets name, if that is loaded later. */
export class SiteUrls {
  readonly #files: SiteFiles
  readonly lazy: LazyStyles | undefined
  readonly #urls = new Map<SiteFile, string>()

  constructor(files: SiteFiles, lazily: (urls: SiteUrls) => LazyStyles | undefined) {
    this.#files = files
    this.lazy = lazily(this)
  }

  of(path: string, media = ''): string | undefined {
    const file = this.#files.get(path)
    const known = file && this.#urls.get(file)
    if (!file || known !== undefined) return known
    // Set first, so that style sheets that import each other do not recurse for ever.
    this.#urls.set(file, 'about:blank')
    const isCss = file.mediaType.startsWith('text/css')
    const body = isCss
      ? this.inCss(new TextDecoder().decode(file.bytes), addressOf(file.path), media)
      : file.bytes.slice()
    const url = URL.createObjectURL(new Blob([body], { type: file.mediaType }))
    this.#urls.set(file, url)
    return url
  }

  inCss(css: string, from: string, media: string): string {
    const { lazy } = this
    if (!lazy) return this.inStyle(css, from)
    lazy.add(css, from, media)
    return replaceUrls(
      withoutFonts(css, from),
      from,
      (path) => this.of(path, media),
      (path) => lazy.cssOf(path),
    )
  }

  inStyle(css: string, from: string): string {
    const quoted = (url: string | undefined) => url && `url("${url}")`
    return replaceUrls(
      css,
      from,
      (path) => this.of(path),
      (path) => quoted(this.of(path)),
    )
  }

  inSrcset(srcset: string, from: string): string {
    return srcset.replace(SRCSET, (whole, comma: string, space: string, reference: string) => {
      const path = pathOf(reference, from)
      const url = path === undefined ? undefined : this.of(path)
      return url === undefined ? whole : `${comma}${space}${url}`
    })
  }
}
