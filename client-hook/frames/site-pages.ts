import { typeOfBytes } from '../../reader/charset.ts'
import type { Content, Media } from '../content.ts'

/** A file of the site, with the charset that its bytes declare; `path` is where it lies. */
export interface ShownFile {
  path: string
  mediaType: string
  bytes: Uint8Array
  /** In place of the bytes, which are none then. */
  media?: Media
}

/** Reads that run at once. */
const AT_ONCE = 12

/** The verified files of what a frame shows. */
export class SitePages {
  /** The URL of the page that is opened first, relative to the host. */
  readonly start: string
  readonly #content: Content
  readonly #path: string
  readonly #failed: (error: unknown) => void
  /** The page whose files are read: each has limits of its own. */
  #site: Content['site']
  /** What a player reads in pieces. */
  #kept: ShownFile | undefined
  /** Codes of what was told of media. */
  readonly #told = new Set<unknown>()
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** `failed` is told what could not be verified or fetched; what is not there is no failure. */
  constructor(content: Content, failed: (error: unknown) => void) {
    this.#content = content
    this.#site = content.site
    this.#path = content.site?.path ?? ''
    this.#failed = failed
    const path = this.#path.replace(/(^|\/)index\.html$/, '$1')
    this.start = `/${path.split('/').map(encodeURIComponent).join('/')}${content.site?.place ?? ''}`
  }

  /**
   * The file at a decoded path, or the index.html of the directory there; undefined if there is none. `isPage`: it is shown as a
   * document, and what is read next is what it uses.
   */
  async read(path: string, isPage: boolean): Promise<ShownFile | undefined> {
    if (path === this.#path || (isPage && `${path}index.html` === this.#path)) {
      const { bytes, mediaType } = this.#content
      if (isPage) this.#site = this.#content.site
      return { path: this.#path, bytes, mediaType: typeOfBytes(mediaType, bytes) }
    }
    if (!this.#content.site) return undefined
    if (this.#kept?.path === path && !isPage) return this.#kept
    return await this.#inTurn(async () => {
      try {
        return isPage ? await this.#openPage(path) : await this.#readFile(path)
      } catch (error) {
        if (isMissing(error)) return undefined
        this.#failed(error)
        throw error
      }
    })
  }

  async #openPage(path: string): Promise<ShownFile | undefined> {
    const page = await this.#content.site?.open(path)
    if (!page?.site) return undefined
    this.#site = page.site
    const { bytes, mediaType, site } = page
    return { path: site.path, bytes, mediaType: typeOfBytes(mediaType, bytes) }
  }

  /** Tells what of media could not be read, each code once: a player asks again for what it did not get. */
  async readMedia(media: Media, start: number, end: number): Promise<Uint8Array> {
    try {
      return await media.read(start, end)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (!this.#told.has(code)) this.#failed(error)
      this.#told.add(code)
      throw error
    }
  }

  async #readFile(path: string): Promise<ShownFile | undefined> {
    const file = await this.#site?.read(path)
    if (!file) return undefined
    if (file.media) return file
    const found = { path: file.path, bytes: file.bytes, mediaType: typeOfBytes(file.mediaType, file.bytes) }
    if (/^(video|audio)\//.test(found.mediaType)) this.#kept = found
    return found
  }

  async #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await run()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'not_found'
}
