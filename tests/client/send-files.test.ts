import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../client/http/api-error.ts'
import { byteSource } from '../../client/store/byte-source.ts'
import { OrderJournal } from '../../client/store/order-journal.ts'
import { createItems, isBeginning, type SendChunk, type Sending, sendFiles } from '../../client/store/send-files.ts'
import { memoryStateStore, type StateStore } from '../../client/stores/state-store.ts'
import { sha256Hex } from './fake-api.ts'

const CHUNK = 1000
const bytes = (size: number, seed: number) => Uint8Array.from({ length: size }, (_, index) => (index * seed) & 0xff)
const refusal = (status: number) =>
  new ApiError({ status, code: 'refused', message: 'No.', method: 'PUT', path: '/v0/item/i1/chunk/0' })

/** A service that has chunks by item, and what was asked of it. */
function service() {
  const chunks = new Map<string, Map<number, Uint8Array>>()
  const keys: (string | undefined)[] = []
  const log: string[] = []
  const create = (size: number) => {
    const id = `i${chunks.size}`
    chunks.set(id, new Map())
    log.push(`create ${id}`)
    return { id, chunkSize: CHUNK, chunks: Math.ceil(size / CHUNK) }
  }
  const items: Sending['items'] = {
    async create({ size }, options) {
      keys.push(options?.idempotencyKey)
      return create(size)
    },
    async createMany(list, options) {
      keys.push(options?.idempotencyKey)
      return list.map(({ size }) => create(size))
    },
    async held(id) {
      const own = chunks.get(id)
      if (!own) throw refusal(404)
      const hashes: string[] = []
      for (let chunk = own.get(0); chunk; chunk = own.get(hashes.length)) hashes.push(sha256Hex(chunk))
      return { chunkSize: CHUNK, hashes }
    },
  }
  const send: SendChunk = async ({ id, index, bytes }, onSent) => {
    onSent(bytes.length)
    const own = chunks.get(id)
    if (!own) throw refusal(404)
    own.set(index, bytes)
    log.push(`chunk ${id} ${index}`)
  }
  const contentOf = (id: string) =>
    Buffer.concat([...(chunks.get(id) ?? [])].toSorted(([a], [b]) => a - b).map(([, chunk]) => chunk))
  return { chunks, keys, log, items, send, contentOf }
}

/** One run of an order of these contents. */
async function run(
  { items, send }: Pick<ReturnType<typeof service>, 'items' | 'send'>,
  contents: readonly Uint8Array[],
  { store = memoryStateStore(), ...more }: Partial<Sending> & { store?: StateStore } = {},
) {
  const journal = await OrderJournal.open(store, 'order', () => 0)
  const failed: string[] = []
  const progress: [number, number, number][] = []
  const files = contents.map((content, index) => {
    return { path: `f${index}`, folder: '', name: `f${index}`, mimetype: 'text/plain', source: byteSource(content) }
  })
  const sending: Sending = {
    items,
    send,
    journal,
    files,
    to: 'IPFS',
    folder: undefined,
    onBytes: (index, held, sent) => void progress.push([index, held, sent]),
    onFailed: (index, { message }) => void failed.push(`${index} ${message}`),
    signal: undefined,
    ...more,
  }
  const all = contents.map((_, index) => index)
  await createItems(sending, all)
  await sendFiles(sending, all)
  return { journal, failed, progress }
}

describe('sending the files of an order', () => {
  it('tells the bytes that have left, and those that the service has', async () => {
    const { items, send } = service()
    const { progress } = await run({ items, send }, [bytes(1500, 3)])
    expect(progress.slice(0, 2)).toEqual([
      [0, 0, 0],
      [0, 0, 1000],
    ])
    expect(progress).toContainEqual([0, 1000, 1500])
    expect(progress.at(-1)).toEqual([0, 1500, 1500])
  })

  it('loses nothing that was acknowledged, whichever record or chunk is the last of a run', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), async (all, last) => {
        const contents = all.map((size, index) => bytes(size, index + 1))
        const there = service()
        const kept = memoryStateStore()
        let left = last
        const strike = () => {
          if (left-- <= 0) throw new Error('killed')
        }
        const store: StateStore = {
          ...kept,
          append: async (...record) => {
            strike()
            await kept.append(...record)
          },
        }
        const send: SendChunk = async (...chunk) => {
          strike()
          await there.send(...chunk)
        }
        await run({ items: there.items, send }, contents, { store }).catch(() => undefined)
        const acknowledged = there.log.filter((line) => line.startsWith('chunk')).length
        const { journal, failed } = await run(there, contents, { store: kept })
        expect(failed).toEqual([])
        for (const [index, { id, step }] of journal.state.files) {
          expect([step, there.contentOf(id).equals(Buffer.from(contents[index] ?? []))]).toEqual(['sent', true])
        }
        // Chunks out of order behind a gap, and those of one more request to create items, are sent twice at most.
        const needed = all.reduce((sum, size) => sum + Math.ceil(size / CHUNK), 0)
        const sent = there.log.filter((line) => line.startsWith('chunk')).length
        expect(sent).toBeLessThanOrEqual(needed + Math.min(acknowledged, 16))
      }),
      { numRuns: 60 },
    )
  })

  it('creates the items of an interrupted run with the same key', async () => {
    const there = service()
    const kept = memoryStateStore()
    const store: StateStore = {
      ...kept,
      async append(key, record) {
        if (record.includes('"files"')) throw new Error('killed')
        await kept.append(key, record)
      },
    }
    await expect(run(there, [bytes(10, 1)], { store })).rejects.toThrow('killed')
    await run(there, [bytes(10, 1)], { store: kept })
    expect(there.keys).toHaveLength(2)
    expect(new Set(there.keys).size).toBe(1)
  })

  it('reports a file that is refused, and sends the others', async () => {
    const there = service()
    const send: SendChunk = async (chunk, onSent) => {
      if (chunk.id === 'i1') throw refusal(413)
      await there.send(chunk, onSent)
    }
    const { failed, journal } = await run({ items: there.items, send }, [bytes(10, 1), bytes(10, 2), bytes(10, 3)])
    expect(failed).toEqual(['1 No.'])
    expect([0, 2].map((index) => journal.state.files.get(index)?.step)).toEqual(['sent', 'sent'])
  })

  it('forgets an item that the service no longer has, so that the next run creates it again', async () => {
    const there = service()
    const store = memoryStateStore()
    const send: SendChunk = async () => {
      throw refusal(404)
    }
    const first = await run({ items: there.items, send }, [bytes(10, 1)], { store })
    expect(first.failed).toEqual(['0 No.'])
    await run(there, [bytes(10, 1)], { store })
    expect(new Set(there.keys).size).toBe(2)
  })

  it('ends at an error that concerns all of them', async () => {
    const there = service()
    const send: SendChunk = async () => {
      throw refusal(401)
    }
    await expect(run({ items: there.items, send }, [bytes(10, 1)])).rejects.toMatchObject({ status: 401 })
  })

  it('console 18: compares what is held with the content, and sends nothing where that is another', async () => {
    const there = service()
    const store = memoryStateStore()
    const whole = bytes(3000, 7)
    let chunks = 0
    const send: SendChunk = async (chunk, onSent) => {
      if (chunks++ > 0) throw new Error('killed')
      await there.send(chunk, onSent)
    }
    await run({ items: there.items, send }, [whole], { store }).catch(() => undefined)
    const before = there.log.length
    const other = await run(there, [bytes(3000, 9)], { store, compares: () => true })
    expect(other.failed).toEqual(['0 This upload was begun with other content. Begin a new one.'])
    expect(there.log).toHaveLength(before)
    const same = await run(there, [whole], { store, compares: () => true })
    expect(same.failed).toEqual([])
    expect(there.contentOf('i0').equals(Buffer.from(whole))).toBe(true)
  })

  it('takes no longer list of chunks for the beginning of a file than the file has', async () => {
    const content = bytes(1500, 1)
    const hashes = [sha256Hex(content.subarray(0, CHUNK)), sha256Hex(content.subarray(CHUNK))]
    expect(await isBeginning(byteSource(content), { chunkSize: CHUNK, hashes })).toBe(true)
    const longer = [...hashes, sha256Hex(new Uint8Array(0))]
    expect(await isBeginning(byteSource(content), { chunkSize: CHUNK, hashes: longer })).toBe(false)
  })
})
