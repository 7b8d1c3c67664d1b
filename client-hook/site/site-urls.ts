import type { SiteFile } from '../content.ts'
import type { LazyStyles } from './lazy-styles.ts'
import { decodeAs } from './parse-page.ts'
import type { SiteFiles } from './site-files.ts'
import { addressOf, hashOf, pathOf } from './site-path.ts'
import { candidatesOf } from './srcset.ts'
import { replaceUrls } from './style-text.ts'

/** `blob:` URLs of the loaded files of a site; `lazy` has what style sheets name, if that is loaded later. */
export class SiteUrls {
  readonly #files: SiteFiles
  readonly #encoding: string
  readonly lazy: LazyStyles | undefined
  readonly #urls = new Map<SiteFile, string>()

  /** `encoding`: of the page, which style sheets and scripts are in that do not say. */
  constructor(files: SiteFiles, encoding: string, lazily: (urls: SiteUrls) => LazyStyles | undefined) {
    this.#files = files
    this.#encoding = encoding
    this.lazy = lazily(this)
  }

  of(path: string, media = ''): string | undefined {
    const file = this.#files.get(path)
    const known = file && this.#urls.get(file)
    if (!file || known !== undefined) return known
    // Set first, so that style sheets that import each other do not recurse for ever.
    this.#urls.set(file, 'about:blank')
    const isCss = file.mediaType.startsWith('text/css')
    const body = isCss ? this.inCss(textOf(file, this.#encoding), addressOf(file.path), media) : file.bytes.slice()
    const isScript = /^(text|application)\/(java|ecma)script$/.test(file.mediaType)
    const type = isCss ? 'text/css; charset=utf-8' : file.mediaType
    const url = URL.createObjectURL(new Blob([body], { type: isScript ? `${type}; charset=${this.#encoding}` : type }))
    this.#urls.set(file, url)
    return url
  }

  inCss(css: string, from: string, media: string): string {
    const { lazy } = this
    if (!lazy) return this.inStyle(css, from)
    lazy.add(css, from, media)
    return replaceUrls(css, from, {
      withoutFonts: true,
      urlOf: (path) => this.of(path, media),
      cssOf: (path, hash) => lazy.cssOf(path, hash),
    })
  }

  inStyle(css: string, from: string): string {
    return replaceUrls(css, from, {
      urlOf: (path) => this.of(path),
      cssOf: (path, hash) => {
        const url = this.of(path)
        return url === undefined ? undefined : `url("${url}${hash}")`
      },
    })
  }

  inSrcset(srcset: string, from: string): string {
    const replaced = candidatesOf(srcset).map(([reference, descriptor]) => {
      const path = pathOf(reference, from)
      const url = path === undefined ? undefined : this.of(path)
      return `${url === undefined ? reference : url + hashOf(reference, from)} ${descriptor}`.trim()
    })
    return replaced.join(', ')
  }
}

/** A style sheet as text: the encoding that it declares goes before that of its page. */
export function textOf({ bytes, mediaType }: SiteFile, encoding: string): string {
  return decodeAs(bytes, /;\s*charset="?([^\s;"]+)/i.exec(mediaType)?.[1] ?? encoding).text
}
