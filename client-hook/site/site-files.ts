import type { SiteFile } from '../content.ts'
import type { FilesAnswer, FilesRequest } from '../lazy/show-in-frame.ts'

/** The files of a site that its page uses, as the helper sends them. */
export class SiteFiles {
  readonly #port: Promise<MessagePort>
  /** By the path that was asked for; `undefined` where there is none. */
  readonly #files = new Map<string, SiteFile | undefined>()
  readonly #waiting = new Map<number, (files: FilesAnswer['files']) => void>()
  #requests = 0

  /** The port comes in a second message of the parent, right behind the one that brought the page. */
  constructor() {
    this.#port = new Promise((resolve) => {
      addEventListener('message', ({ source, ports: [port] }) => {
        if (source !== parent || !port) return
        port.onmessage = ({ data }: MessageEvent<FilesAnswer>) => {
          this.#waiting.get(data.id)?.(data.files)
          this.#waiting.delete(data.id)
        }
        resolve(port)
      })
    })
  }

  /** Resolves when files can be asked for; a document that is opened before does not hear of it. */
  async connected(): Promise<void> {
    await this.#port
  }

  get(path: string): SiteFile | undefined {
    return this.#files.get(path)
  }

  /** Loads files that were not asked for yet, and returns them. */
  async load(paths: Iterable<string>): Promise<SiteFile[]> {
    const missing = [...new Set(paths)].filter((path) => !this.#files.has(path))
    if (missing.length === 0) return []
    for (const path of missing) this.#files.set(path, undefined)
    const port = await this.#port
    const id = this.#requests++
    const files = await new Promise<FilesAnswer['files']>((resolve) => {
      this.#waiting.set(id, resolve)
      port.postMessage({ id, paths: missing } satisfies FilesRequest)
    })
    missing.forEach((path, index) => {
      this.#files.set(path, files[index])
    })
    return files.filter((file) => file !== undefined)
  }
}
