import type { SiteFile } from '../content.ts'

/** The files of a site that a page of it uses, as the helper sends them. */
export class SiteFiles {
  readonly #ask: (paths: readonly string[]) => Promise<readonly (SiteFile | undefined)[]>
  /** By the path that was asked for; `undefined` where there is none. */
  readonly #files = new Map<string, SiteFile | undefined>()

  constructor(ask: (paths: readonly string[]) => Promise<readonly (SiteFile | undefined)[]>) {
    this.#ask = ask
  }

  get(path: string): SiteFile | undefined {
    return this.#files.get(path)
  }

  /** Loads files that were not asked for yet, and returns them. */
  async load(paths: Iterable<string>): Promise<SiteFile[]> {
    const missing = [...new Set(paths)].filter((path) => !this.#files.has(path))
    if (missing.length === 0) return []
    for (const path of missing) this.#files.set(path, undefined)
    const files = await this.#ask(missing)
    missing.forEach((path, index) => {
      this.#files.set(path, files[index])
    })
    return files.filter((file) => file !== undefined)
  }
}
