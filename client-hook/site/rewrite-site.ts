import type { SiteFile } from '../content.ts'

const ROOT = 'https://site.invalid/'
const URL_ATTRIBUTES = ['src', 'href', 'poster', 'data', 'xlink:href']

/**
 * The HTML at `path` of a site with every reference to another file of the site replaced by a `blob:` URL of that
 * file's verified bytes, because a frame of an opaque origin cannot load them by path. Links between its pages are
 * moved to the attribute `data-hook-path`. Other references do not change.
 */
export function rewriteSite(html: string, path: string, files: readonly SiteFile[]): string {
  const site = new Site(files)
  const page = new DOMParser().parseFromString(html, 'text/html')
  const base = page.querySelector('base[href]')?.getAttribute('href') ?? ''
  const from = new URL(base, new URL(path, ROOT)).href
  page.querySelector('base[href]')?.removeAttribute('href')
  for (const element of page.querySelectorAll('*')) {
    for (const name of URL_ATTRIBUTES) {
      const value = element.getAttribute(name)
      const file = value === null ? undefined : site.find(value, from)
      if (!file) continue
      if (element.localName === 'a' || element.localName === 'area') element.setAttribute('data-hook-path', file.path)
      else element.setAttribute(name, site.urlOf(file))
    }
    // The author's hash is that of the original file; a rewritten style sheet has another.
    if (element.localName === 'link') element.removeAttribute('integrity')
    const srcset = element.getAttribute('srcset')
    if (srcset !== null) element.setAttribute('srcset', site.rewriteSrcset(srcset, from))
    const style = element.getAttribute('style')
    if (style?.includes('url(')) element.setAttribute('style', site.rewriteCss(style, from))
    if (element.localName === 'style') element.textContent = site.rewriteCss(element.textContent ?? '', from)
  }
  return (page.doctype ? '<!doctype html>' : '') + page.documentElement.outerHTML
}

class Site {
  readonly #files: Map<string, SiteFile>
  readonly #urls = new Map<SiteFile, string>()

  constructor(files: readonly SiteFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  find(reference: string, from: string): SiteFile | undefined {
    if (/^\s*(#|data:|blob:)/.test(reference) || !URL.canParse(reference, from)) return undefined
    const url = new URL(reference, from)
    if (!url.href.startsWith(ROOT)) return undefined
    const path = decode(url.pathname.slice(1))
    return this.#files.get(path) ?? this.#files.get(`${path}${path === '' || path.endsWith('/') ? '' : '/'}index.html`)
  }

  urlOf(file: SiteFile): string {
    const known = this.#urls.get(file)
    if (known !== undefined) return known
    // Set first, so that style sheets that import each other do not recurse for ever.
    this.#urls.set(file, 'about:blank')
    const isCss = file.mediaType.startsWith('text/css')
    const from = new URL(encodeURI(file.path), ROOT).href
    const body = isCss ? this.rewriteCss(new TextDecoder().decode(file.bytes), from) : file.bytes.slice()
    const url = URL.createObjectURL(new Blob([body], { type: file.mediaType }))
    this.#urls.set(file, url)
    return url
  }

  rewriteCss(css: string, from: string): string {
    const replace = (whole: string, before: string, quote: string, reference: string, after: string) => {
      const file = this.find(reference, from)
      return file ? `${before}${quote}${this.urlOf(file)}${quote}${after}` : whole
    }
    return css
      .replace(/(url\(\s*)(["']?)([^"')]+)\2(\s*\))/gi, replace)
      .replace(/(@import\s+)(["'])([^"']+)\2()/gi, replace)
  }

  rewriteSrcset(srcset: string, from: string): string {
    return srcset.replace(/(^|,)(\s*)([^\s,]+)/g, (whole, comma: string, space: string, reference: string) => {
      const file = this.find(reference, from)
      return file ? `${comma}${space}${this.urlOf(file)}` : whole
    })
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
