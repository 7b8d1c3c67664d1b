import { env } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { putStream } from '../../../../worker/platform/flow/put-stream.ts'

const PART = 8 << 20
const KEY = 'stored/stream'

/** The bucket, which notes what it is asked for: each part is paid for, and an upload that is not ended is kept. */
function notingBucket(): { bucket: R2Bucket; asked: string[] } {
  const asked: string[] = []
  const noting = <T extends object>(target: T, note: (name: string, args: unknown[]) => string): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          asked.push(note(String(name), args))
          const result: unknown = await Reflect.apply(member, target, args)
          return name === 'createMultipartUpload' && typeof result === 'object' && result !== null
            ? noting(result, notePart)
            : result
        }
      },
    })
  return { bucket: noting(env.BUCKET, (name) => name), asked }
}

function notePart(name: string, [number, bytes]: unknown[]): string {
  return bytes instanceof Uint8Array ? `${name} ${number} of ${bytes.length}` : name
}

async function* stream(...lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const length of lengths) yield new Uint8Array(length).fill(7)
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(PART)
  throw new Error('the sender is gone')
}

describe('a stream whose length is not known', () => {
  it('is stored at once where it is short', async () => {
    const { bucket, asked } = notingBucket()
    expect(await putStream(bucket, KEY, stream(1, 2), 3)).toBe(3)
    expect(asked).toEqual(['put'])
    expect(await env.BUCKET.head(KEY)).toMatchObject({ size: 3 })
  })

  it('is stored in parts of 8 MiB, each of which is sent once', async () => {
    const { bucket, asked } = notingBucket()
    expect(await putStream(bucket, KEY, stream(PART - 1, PART, 3), 3 * PART)).toBe(2 * PART + 2)
    const parts = [`uploadPart 1 of ${PART}`, `uploadPart 2 of ${PART}`, 'uploadPart 3 of 2']
    expect(asked).toEqual(['createMultipartUpload', ...parts, 'complete'])
    expect(await env.BUCKET.head(KEY)).toMatchObject({ size: 2 * PART + 2 })
  })

  it('has no empty part where its last is full', async () => {
    const { bucket, asked } = notingBucket()
    expect(await putStream(bucket, KEY, stream(PART), PART)).toBe(PART)
    expect(asked).toEqual(['createMultipartUpload', `uploadPart 1 of ${PART}`, 'complete'])
  })

  it('is not stored, and ends its upload once, where it is too long', async () => {
    await env.BUCKET.delete(KEY)
    const { bucket, asked } = notingBucket()
    expect(await putStream(bucket, KEY, stream(PART, 1), PART)).toBeUndefined()
    expect(asked).toEqual(['createMultipartUpload', `uploadPart 1 of ${PART}`, 'abort'])
    expect(await env.BUCKET.head(KEY)).toBeNull()
    expect(await putStream(bucket, KEY, stream(2), 1)).toBeUndefined()
    expect(asked).toHaveLength(3)
  })

  it('ends its upload once where it breaks off, and says why it did', async () => {
    const { bucket, asked } = notingBucket()
    await expect(putStream(bucket, KEY, broken(), 2 * PART)).rejects.toThrow('the sender is gone')
    expect(asked).toEqual(['createMultipartUpload', `uploadPart 1 of ${PART}`, 'abort'])
  })

  it('says why it broke off where its upload can’t be ended either', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { bucket } = notingBucket()
    const upload = await env.BUCKET.createMultipartUpload(KEY)
    const failing = new Proxy(upload, {
      get: (target, name) => {
        if (name === 'abort') return async () => Promise.reject(new Error('no bucket'))
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    vi.spyOn(env.BUCKET, 'createMultipartUpload').mockResolvedValueOnce(failing)
    await expect(putStream(bucket, KEY, broken(), 2 * PART)).rejects.toThrow('the sender is gone')
    expect(log).toHaveBeenCalledOnce()
    await upload.abort()
    log.mockRestore()
  })
})
