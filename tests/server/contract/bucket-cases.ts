import { createHash } from 'node:crypto'

/** What a case does with an empty bucket, and what it sees then. */
export interface BucketCase {
  run(bucket: R2Bucket): Promise<unknown>
  sees: unknown
}

const MIB = 1 << 20
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const hash = (algorithm: string, bytes: Uint8Array | string): string =>
  createHash(algorithm).update(bytes).digest('hex')

/** Bytes that differ from place to place, so that a part that is out of its place is seen. */
function pattern(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const words = new Uint32Array(bytes.buffer, 0, length >> 2)
  for (let index = 0; index < words.length; index++) words[index] = Math.imul(index + 1, 2_654_435_761)
  return bytes
}

/** The code that R2 puts at the end of a message. */
async function codeOf(act: Promise<unknown>): Promise<string> {
  return await act.then(
    () => 'no error',
    (error: unknown) => /\((\d+)\)$/.exec(String(error))?.[1] ?? String(error),
  )
}

async function textOf(object: R2ObjectBody | R2Object | null): Promise<string | null> {
  return object && 'body' in object ? await object.text() : null
}

const big = pattern(3 * MIB + 1000)

async function rangeIs(bucket: R2Bucket, range: R2Range, [from, to]: [number, number]): Promise<boolean> {
  const object = await bucket.get('big', { range })
  const bytes = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer())
  return hash('md5', bytes) === hash('md5', big.subarray(from, to))
}

async function listAll(bucket: R2Bucket, options: R2ListOptions): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ ...options, ...(cursor === undefined ? {} : { cursor }) })
    pages.push([...page.objects.map(({ key }) => key), ...page.delimitedPrefixes])
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return pages
}

async function putAll(bucket: R2Bucket, keys: readonly string[]): Promise<void> {
  for (const key of keys) await bucket.put(key, key, { customMetadata: { of: key } })
}

export const BUCKET_CASES: Record<string, BucketCase> = {
  'an object is stored with its metadata, and read with its hashes': {
    run: async (bucket) => {
      const stored = await bucket.put('a/b', text('hello'), {
        httpMetadata: { contentType: 'text/plain', cacheControl: 'no-store' },
        customMetadata: { name: 'value', ü: 'ö' },
        sha256: hash('sha256', 'hello'),
      })
      const [found, head] = [await bucket.get('a/b'), await bucket.head('a/b')]
      const { md5, sha256 } = head?.checksums.toJSON() ?? {}
      return {
        text: await textOf(found),
        same: stored?.version === found?.version && found?.etag === head?.etag,
        key: head?.key,
        size: head?.size,
        etag: head?.etag,
        http: head?.httpMetadata,
        custom: head?.customMetadata,
        age: Math.abs(Date.now() - (head?.uploaded.getTime() ?? 0)) < 60_000,
        hashes: [md5, sha256],
      }
    },
    sees: {
      text: 'hello',
      same: true,
      key: 'a/b',
      size: 5,
      etag: hash('md5', 'hello'),
      http: { contentType: 'text/plain', cacheControl: 'no-store' },
      custom: { name: 'value', ü: 'ö' },
      age: true,
      hashes: [hash('md5', 'hello'), hash('sha256', 'hello')],
    },
  },
  'what is not there is null, and its deletion no error': {
    run: async (bucket) => {
      await bucket.delete('none')
      return [await bucket.get('none'), await bucket.head('none')]
    },
    sees: [null, null],
  },
  'an empty object is one': {
    run: async (bucket) => {
      await bucket.put('empty', '')
      return [await textOf(await bucket.get('empty')), (await bucket.head('empty'))?.size]
    },
    sees: ['', 0],
  },
  'a put takes the place of an object, and of its metadata': {
    run: async (bucket) => {
      await bucket.put('one', 'before', { customMetadata: { a: 'b' } })
      await bucket.put('one', 'after')
      const object = await bucket.get('one')
      return [await textOf(object), object?.customMetadata]
    },
    sees: ['after', {}],
  },
  'a condition that does not hold leaves the object as it is': {
    run: async (bucket) => {
      const first = await bucket.put('one', 'first')
      const refused = [
        await bucket.put('one', 'x', { onlyIf: { etagMatches: 'other' } }),
        await bucket.put('one', 'x', { onlyIf: { etagDoesNotMatch: first?.etag ?? '' } }),
        await bucket.put('one', 'x', { onlyIf: new Headers({ 'If-None-Match': '*' }) }),
        await bucket.put('none', 'x', { onlyIf: new Headers({ 'If-Match': `"${first?.etag}"` }) }),
      ]
      return [refused, await textOf(await bucket.get('one')), await bucket.head('none')]
    },
    sees: [[null, null, null, null], 'first', null],
  },
  'a condition that holds has it written': {
    run: async (bucket) => {
      const first = await bucket.put('one', 'first', { onlyIf: new Headers({ 'If-None-Match': '*' }) })
      await bucket.put('one', 'second', { onlyIf: new Headers({ 'If-Match': `"${first?.etag}"` }) })
      return await textOf(await bucket.get('one'))
    },
    sees: 'second',
  },
  'a read whose condition does not hold has no body': {
    run: async (bucket) => {
      const { etag = '' } = (await bucket.put('one', 'first')) ?? {}
      const same = await bucket.get('one', { onlyIf: { etagDoesNotMatch: etag } })
      const other = await bucket.get('one', { onlyIf: { etagDoesNotMatch: 'other' } })
      const old = await bucket.get('one', { onlyIf: { uploadedAfter: new Date(Date.now() + 3_600_000) } })
      return [same !== null && 'body' in same, same?.size, await textOf(other), old !== null && 'body' in old]
    },
    sees: [false, 5, 'first', false],
  },
  'a wrong hash is refused, and nothing is stored': {
    run: async (bucket) => [
      await codeOf(bucket.put('one', 'text', { sha256: hash('sha256', 'other') })),
      await codeOf(bucket.put('one', 'text', { md5: hash('md5', 'other') })),
      await bucket.head('one'),
    ],
    sees: ['10037', '10037', null],
  },
  'ranges are read, across rows and to the end': {
    run: async (bucket) => {
      await bucket.put('big', big)
      return [
        await rangeIs(bucket, { offset: 0, length: 10 }, [0, 10]),
        await rangeIs(bucket, { offset: MIB - 5, length: 10 }, [MIB - 5, MIB + 5]),
        await rangeIs(bucket, { offset: 5, length: 2 * MIB }, [5, 2 * MIB + 5]),
        await rangeIs(bucket, { offset: 2 * MIB }, [2 * MIB, big.length]),
        await rangeIs(bucket, { offset: 2 * MIB, length: 5 * MIB }, [2 * MIB, big.length]),
        await rangeIs(bucket, { suffix: 2 * MIB }, [big.length - 2 * MIB, big.length]),
        await rangeIs(bucket, { suffix: 10 * MIB }, [0, big.length]),
        (await bucket.get('big', { range: { offset: 7, length: 9 } }))?.range,
        hash('md5', new Uint8Array((await (await bucket.get('big'))?.arrayBuffer()) ?? new ArrayBuffer())),
      ]
    },
    sees: [true, true, true, true, true, true, true, { offset: 7, length: 9 }, hash('md5', big)],
  },
  'a header of one range is read': {
    run: async (bucket) => {
      await bucket.put('one', '0123456789')
      const read = async (range: string) => await textOf(await bucket.get('one', { range: new Headers({ range }) }))
      return [await read('bytes=2-4'), await read('bytes=8-'), await read('bytes=-3'), await read('bytes=4-99')]
    },
    sees: ['234', '89', '789', '456789'],
  },
  'a range that the object has not is refused': {
    run: async (bucket) => {
      await bucket.put('one', '0123456789')
      return await codeOf(bucket.get('one', { range: { offset: 11, length: 1 } }))
    },
    sees: '10039',
  },
  'a list is in the order of its keys, page by page': {
    run: async (bucket) => {
      await putAll(bucket, ['p/c', 'p/a', 'q', 'p/b', 'p/é', 'p/z', 'o'])
      return [
        await listAll(bucket, { prefix: 'p/', limit: 2 }),
        await listAll(bucket, { prefix: 'p/', startAfter: 'p/b' }),
        await listAll(bucket, { prefix: 'none/' }),
        await listAll(bucket, { limit: 7 }),
      ]
    },
    sees: [
      [['p/a', 'p/b'], ['p/c', 'p/z'], ['p/é']],
      [['p/c', 'p/z', 'p/é']],
      [[]],
      [['o', 'p/a', 'p/b', 'p/c', 'p/z', 'p/é', 'q']],
    ],
  },
  'a list with a delimiter has each folder once': {
    run: async (bucket) => {
      await putAll(bucket, ['p/a/1', 'p/a/2', 'p/b', 'p/c/1', 'p/c/d/2'])
      return [
        await listAll(bucket, { prefix: 'p/', delimiter: '/' }),
        await listAll(bucket, { prefix: 'p/c/', delimiter: '/' }),
        await listAll(bucket, { prefix: 'p/', delimiter: '/', limit: 2 }),
      ]
    },
    sees: [[['p/b', 'p/a/', 'p/c/']], [['p/c/1', 'p/c/d/']], [['p/b', 'p/a/'], ['p/c/']]],
  },
  'a list has metadata where it is asked for': {
    run: async (bucket) => {
      await putAll(bucket, ['p/a'])
      const { objects } = await bucket.list({ prefix: 'p/', include: ['customMetadata'] })
      return objects.map(({ key, size, customMetadata }) => [key, size, customMetadata])
    },
    sees: [['p/a', 3, { of: 'p/a' }]],
  },
  'a list of everything has what may give way and what may not': {
    run: async (bucket) => {
      await putAll(bucket, ['chain/content/a', 'chunks/a', 'ipfs/blocks/a', 'ipfs/cache/a', 'ipfs/ipns/a', 'stored/a'])
      return [await listAll(bucket, { limit: 2 }), await listAll(bucket, { prefix: 'ipfs/' })]
    },
    sees: [
      [
        ['chain/content/a', 'chunks/a'],
        ['ipfs/blocks/a', 'ipfs/cache/a'],
        ['ipfs/ipns/a', 'stored/a'],
      ],
      [['ipfs/blocks/a', 'ipfs/cache/a', 'ipfs/ipns/a']],
    ],
  },
  'many keys are deleted at once': {
    run: async (bucket) => {
      await putAll(bucket, ['a', 'b', 'c', 'ipfs/cache/d'])
      await bucket.delete(['a', 'c', 'none', 'ipfs/cache/d'])
      return await listAll(bucket, {})
    },
    sees: [['b']],
  },
  'an upload in parts becomes one object, of which ranges are read': {
    run: async (bucket) => {
      const bytes = pattern(11 * MIB)
      const upload = await bucket.createMultipartUpload('big', { customMetadata: { a: 'b' } })
      const parts = []
      for (const number of [1, 2, 3]) {
        parts.push(await upload.uploadPart(number, bytes.subarray((number - 1) * 5 * MIB, number * 5 * MIB)))
      }
      const before = await bucket.head('big')
      const whole = await upload.complete(parts)
      const read = await bucket.get('big', { range: { offset: 5 * MIB - 7, length: 14 } })
      const middle = new Uint8Array((await read?.arrayBuffer()) ?? new ArrayBuffer())
      const all = await (await bucket.get('big'))?.arrayBuffer()
      return [
        before,
        whole.size,
        whole.etag.slice(-2),
        whole.customMetadata,
        hash('md5', middle) === hash('md5', bytes.subarray(5 * MIB - 7, 5 * MIB + 7)),
        hash('md5', new Uint8Array(all ?? new ArrayBuffer())) === hash('md5', bytes),
      ]
    },
    sees: [null, 11 * MIB, '-3', { a: 'b' }, true, true],
  },
  'a part may be sent again, and what is not chosen is gone': {
    run: async (bucket) => {
      const upload = await bucket.createMultipartUpload('one')
      await upload.uploadPart(1, 'first')
      const again = await upload.uploadPart(1, 'second')
      await upload.uploadPart(2, 'other')
      await upload.complete([again])
      return await textOf(await bucket.get('one'))
    },
    sees: 'second',
  },
  'an upload in parts is refused with a small, a wrong or an uneven part': {
    run: async (bucket) => {
      const small = await bucket.createMultipartUpload('one')
      const parts = [await small.uploadPart(1, 'a'), await small.uploadPart(2, 'b')]
      const wrong = [{ partNumber: 1, etag: 'other' }]
      return [await codeOf(small.complete(parts)), await codeOf(small.complete(wrong)), await bucket.head('one')]
    },
    sees: ['10011', '10025', null],
  },
  'an upload that was ended takes no part': {
    run: async (bucket) => {
      const upload = await bucket.createMultipartUpload('one')
      const part = await upload.uploadPart(1, 'a')
      await upload.abort()
      return [await codeOf(upload.uploadPart(2, 'b')), await codeOf(upload.complete([part])), await bucket.head('one')]
    },
    sees: ['10024', '10024', null],
  },
  'a stream of known length is stored, and one that breaks leaves the object as it was': {
    run: async (bucket) => {
      const { readable, writable } = new FixedLengthStream(big.length)
      const writer = writable.getWriter()
      const put = bucket.put('big', readable)
      await writer.write(big)
      await writer.close()
      await put
      const broken = new FixedLengthStream(4 * MIB)
      const second = broken.writable.getWriter()
      const failing = bucket.put('big', broken.readable).then(
        () => 'stored',
        () => 'refused',
      )
      await second.write(big)
      const aborted = second.abort(new Error('broken')).catch(() => undefined)
      const outcome = await failing
      await aborted
      return [outcome, (await bucket.head('big'))?.size]
    },
    sees: ['refused', big.length],
  },
  'a reader gets the whole of what it began, whatever takes its place': {
    run: async (bucket) => {
      await bucket.put('big', big)
      const object = await bucket.get('big')
      const reader = object?.body.getReader()
      const sum = createHash('md5')
      let length = 0
      for (;;) {
        const read = await reader?.read()
        if (!read || read.done) break
        if (length === 0) {
          await bucket.put('big', 'other')
          await bucket.delete('big')
        }
        sum.update(read.value)
        length += read.value.length
      }
      return [length, sum.digest('hex'), await bucket.head('big')]
    },
    sees: [big.length, hash('md5', big), null],
  },
  'a key or metadata that is too long is refused': {
    run: async (bucket) => [
      await codeOf(bucket.put('k'.repeat(1025), 'x')),
      await codeOf(bucket.put('one', 'x', { customMetadata: { a: 'b'.repeat(9000) } })),
    ],
    sees: ['10020', '10012'],
  },
}
