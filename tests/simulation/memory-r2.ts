import type { Around } from './memory-d1.ts'

/** R2 in this process, as far as uploads and the writer use it. */
export class MemoryR2 {
  readonly objects = new Map<string, Uint8Array>()
  around: Around = async (_, effect) => effect()

  /** The bucket as the Worker's code takes it. */
  binding(): R2Bucket {
    const bucket = {
      put: (key: string, value: Uint8Array) =>
        this.around(`R2 put ${key}`, () => {
          this.objects.set(key, Uint8Array.from(value))
          return { key }
        }),
      get: (key: string, { range }: { range?: { offset: number; length: number } } = {}) =>
        this.around(`R2 get ${key}`, () => {
          const whole = this.objects.get(key)
          const bytes = range ? whole?.subarray(range.offset, range.offset + range.length) : whole
          return bytes ? { key, size: bytes.length, arrayBuffer: async () => Uint8Array.from(bytes).buffer } : null
        }),
      head: (key: string) => this.around(`R2 head ${key}`, () => (this.objects.has(key) ? { key } : null)),
      delete: (keys: string | string[]) =>
        this.around('R2 delete', () => {
          for (const key of typeof keys === 'string' ? [keys] : keys) this.objects.delete(key)
        }),
      list: ({ prefix = '' }: { prefix?: string } = {}) =>
        this.around(`R2 list ${prefix}`, () => {
          const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort()
          const objects = keys.map((key) => ({ key, size: this.objects.get(key)?.length ?? 0 }))
          return { objects, truncated: false }
        }),
    }
    return bucket as unknown as R2Bucket
  }
}
