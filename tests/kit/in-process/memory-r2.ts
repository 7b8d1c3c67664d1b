import type { Around } from './memory-d1.ts'

/** R2 in this process, as far as uploads and the writer use it. */
export class MemoryR2 implements R2Bucket {
  readonly objects = new Map<string, Uint8Array>()
  around: Around = async (_, effect) => effect()

  async put(key: string, value: unknown): Promise<R2Object> {
    if (!(value instanceof Uint8Array)) throw new Error('The simulation keeps bytes only')
    return await this.#run(`put ${key}`, () => {
      const bytes = Uint8Array.from(value)
      this.objects.set(key, bytes)
      return new MemoryObject(key, bytes)
    })
  }

  async get(key: string, { range }: R2GetOptions = {}): Promise<R2ObjectBody | null> {
    if (range && (range instanceof Headers || 'suffix' in range))
      throw new Error('The simulation has plain ranges only')
    const { offset = 0, length = Number.POSITIVE_INFINITY } = range ?? {}
    return await this.#run(`get ${key} ${offset} ${length}`, () => {
      const bytes = this.objects.get(key)
      return bytes ? new MemoryObject(key, bytes.subarray(offset, offset + length)) : null
    })
  }

  async head(key: string): Promise<R2Object | null> {
    return await this.#run(`head ${key}`, () => this.#open(key))
  }

  async delete(keys: string | string[]): Promise<void> {
    await this.#run(`delete ${keys}`, () => {
      for (const key of typeof keys === 'string' ? [keys] : keys) this.objects.delete(key)
    })
  }

  async list({
    prefix = '',
    startAfter = '',
    cursor = startAfter,
    limit = 1_000,
  }: R2ListOptions = {}): Promise<R2Objects> {
    return await this.#run(`list ${prefix} ${cursor}`, () => {
      const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > cursor).sort()
      const page = keys.slice(0, limit)
      const objects = page.flatMap((key) => this.#open(key) ?? [])
      const last = page.at(-1)
      return last === undefined || page.length === keys.length
        ? { objects, delimitedPrefixes: [], truncated: false as const }
        : { objects, delimitedPrefixes: [], truncated: true as const, cursor: last }
    })
  }

  async #run<T>(what: string, effect: () => T): Promise<T> {
    return await this.around(`R2 ${what}`, effect, () => [`R2 ${what}`])
  }

  createMultipartUpload(): never {
    throw new Error('The simulation has no uploads in parts')
  }

  resumeMultipartUpload(): never {
    throw new Error('The simulation has no uploads in parts')
  }

  #open(key: string): MemoryObject | null {
    const bytes = this.objects.get(key)
    return bytes ? new MemoryObject(key, bytes) : null
  }
}

class MemoryObject implements R2ObjectBody {
  readonly key: string
  readonly size: number
  readonly version = ''
  readonly etag = ''
  readonly httpEtag = '""'
  readonly checksums = { toJSON: () => ({}) }
  /** So old that no sweep spares it for its age. */
  readonly uploaded = new Date(0)
  readonly storageClass = 'Standard'
  readonly bodyUsed = false
  readonly #bytes: Uint8Array

  constructor(key: string, bytes: Uint8Array) {
    this.key = key
    this.size = bytes.length
    this.#bytes = bytes
  }

  get body(): never {
    throw new Error('The simulation has no streams')
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return Uint8Array.from(this.#bytes)
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(this.#bytes)
  }

  async json<T>(): Promise<T> {
    return JSON.parse(await this.text())
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()])
  }

  writeHttpMetadata(): void {}
}
