import { env } from 'cloudflare:workers'
import { brotliDecompressSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { acceptChunk } from '../../../../worker/features/items/accept-chunk.ts'
import { mergeItem } from '../../../../worker/features/items/merge/merge-item.ts'
import { requestFolderMerge } from '../../../../worker/features/items/merge/request-folder-merge.ts'
import { requestMerges } from '../../../../worker/features/items/merge/request-merge.ts'
import { storedKey } from '../../../../worker/features/items/sql/item-objects.ts'
import { selectItem } from '../../../../worker/features/items/sql/items.ts'
import { beginMerges } from '../../../../worker/features/items/sql/move-items.ts'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { deleteItem } from '../../../../worker/features/payments/delete-item.ts'
import type { Env } from '../../../../worker/platform/bindings.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { atEveryFault } from '../../faulty-env.ts'
import { signIn } from '../../sign-in.ts'
import { type Api, callApi, createItem, noise, prose, uploadItem } from './api.ts'

let api: Api
let userId: string
beforeAll(async () => {
  const user = await signIn()
  userId = user.userId
  api = callApi(user.headers)
})

// Each fault is logged where it ends.
beforeEach(() => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

const clock = () => Date.now()
const objectsOf = async (id: string) => {
  const keys = await Promise.all(
    [`chunks/${id}/`, storedKey(id), `ipfs/pending/${id}/`].map(async (prefix) => await env.BUCKET.list({ prefix })),
  )
  return keys.flatMap(({ objects }) => objects.map(({ key }) => key))
}
const rowOf = async (id: string) => await env.DB.prepare('SELECT status FROM items WHERE id = ?').bind(id).first()

const mergeEnv = (): Env => ({ ...env, ITEM_MERGER: env.ITEM_MERGER })

/** Any env with its merger doing its work at once, in this very call. */
function mergingAtOnce(faulty: Env): Env {
  const merge = async (id: string) => await mergeItem(faulty, id, clock)
  return new Proxy(faulty, {
    get: (target, property) =>
      property === 'ITEM_MERGER' ? { getByName: () => ({ merge, begin: merge }) } : Reflect.get(target, property),
  })
}

describe('a crash at any call of the storage', () => {
  it('F15: loses no chunk: sending it again makes it whole', async () => {
    const content = noise(2000)
    const send = (faulty: Env, id: string) =>
      acceptChunk(
        faulty,
        { userId, itemId: id, index: '0', body: new Request('https://x', { method: 'PUT', body: content }) },
        clock(),
      )
    const points = await atEveryFault(
      async () => (await createItem(api, { size: content.length })).id,
      send,
      async (id) => {
        await send(env, id)
        await beginMerges(env.DB, userId, [id], 4, clock())
        await mergeItem(env, id, clock)
        expect(await selectItem(env.DB, id)).toMatchObject({ state: 'unpaid' })
      },
    )
    expect(points).toBe(6)
  })

  for (const [what, content] of [
    ['text', prose(3000)],
    ['noise', noise(3000)],
  ] as const) {
    it(`finishes a merge of ${what} when it is tried again`, async () => {
      const points = await atEveryFault(
        async () => {
          const id = await uploadItem(api, content)
          await beginMerges(env.DB, userId, [id], 4, clock())
          return id
        },
        (faulty, id) => mergeItem(faulty, id, clock),
        async (id, point) => {
          await mergeItem(env, id, clock)
          const item = await selectItem(env.DB, id)
          expect([point, item?.state]).toEqual([point, 'unpaid'])
          const object = await env.BUCKET.get(storedKey(id))
          const stored = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
          expect(stored.length).toBe(item?.storedSize)
          expect(new Uint8Array(brotliDecompressSync(stored))).toEqual(content)
          expect(await objectsOf(id)).toEqual([storedKey(id)])
        },
      )
      expect(points).toBeGreaterThanOrEqual(12)
    })
  }

  it('finishes the merges of small items together when they are asked for again', async () => {
    const contents = [prose(3000), noise(300)]
    const merge = (faulty: Env, ids: string[]) =>
      requestMerges(mergingAtOnce(faulty), readConfig(env), userId, ids, clock)
    const points = await atEveryFault(
      async () => await Promise.all(contents.map(async (content) => await uploadItem(api, content))),
      merge,
      async (ids, point) => {
        const answers = await merge(env, ids)
        expect([point, answers]).toMatchObject([point, [{ item: { state: 'unpaid' } }, { item: { state: 'unpaid' } }]])
        for (const [index, id] of ids.entries()) {
          const object = await env.BUCKET.get(storedKey(id))
          const stored = new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0))
          expect(new Uint8Array(brotliDecompressSync(stored))).toEqual(contents[index])
        }
      },
    )
    expect(points).toBeGreaterThanOrEqual(8)
  })

  it('keeps nothing of an item that is deleted while small items are merged together', async () => {
    const ids = [await uploadItem(api, prose(500)), await uploadItem(api, prose(600))] as const
    let deleted = false
    const bucket = new Proxy(env.BUCKET, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          // Once the merge has begun, and before it stores anything.
          if (property === 'put' && !deleted) {
            deleted = true
            await deleteItem(env, userId, ids[0], clock(), () => {})
            await sweepItems(env, clock())
          }
          return await value.apply(target, args)
        }
      },
    })
    const answers = await requestMerges({ ...mergeEnv(), BUCKET: bucket }, readConfig(env), userId, ids, clock)
    expect(answers).toMatchObject([{ refusal: { code: 'not_found' } }, { item: { state: 'unpaid' } }])
    expect(await rowOf(ids[0])).toBeNull()
    expect(await objectsOf(ids[0])).toEqual([])
    expect(await objectsOf(ids[1])).toEqual([storedKey(ids[1])])
  })

  it('makes one directory of a folder, however often it has to be asked', async () => {
    const points = await atEveryFault(
      async () => {
        const name = crypto.randomUUID()
        const response = await api.sendJson('POST', '/folder', { name, blockchain: 'IPFS' })
        const { id: folder }: { id: string } = await response.json()
        const file = await uploadItem(api, prose(100), { blockchain: 'IPFS', folder })
        return { folder, file }
      },
      (faulty, { folder }) => requestFolderMerge(mergingAtOnce(faulty), readConfig(env), userId, folder, clock()),
      async ({ folder, file }, point) => {
        const item = await requestFolderMerge(mergingAtOnce(env), readConfig(env), userId, folder, clock())
        // As the merger's alarm does, which is only cleared at the end.
        await mergeItem(env, item.id, clock)
        expect([point, item.state]).toEqual([point, 'unpaid'])
        expect(await selectItem(env.DB, file)).toMatchObject({ partOf: item.id, state: 'unpaid' })
        const { results } = await env.DB.prepare('SELECT id FROM items WHERE directory_of = ?').bind(folder).all()
        expect(results).toEqual([{ id: item.id }])
        expect(await objectsOf(file)).toEqual([])
        expect((await objectsOf(item.id)).length).toBe(2)
      },
    )
    expect(points).toBeGreaterThanOrEqual(20)
  })

  for (const blockchain of ['Nativecoin', 'IPFS'] as const) {
    it(`leaves nothing of a deleted ${blockchain} item behind the sweep`, async () => {
      const points = await atEveryFault(
        async () => {
          const id = await uploadItem(api, prose(500), { blockchain })
          await beginMerges(env.DB, userId, [id], 4, clock())
          await mergeItem(env, id, clock)
          return id
        },
        async (faulty, id) => {
          const background: Promise<unknown>[] = []
          await deleteItem(faulty, userId, id, clock(), (work) => background.push(work))
          await Promise.all(background)
        },
        async (id, point) => {
          if (await selectItem(env.DB, id)) await deleteItem(env, userId, id, clock(), () => {})
          await sweepItems(env, clock())
          expect([point, await rowOf(id), await objectsOf(id)]).toEqual([point, null, []])
        },
      )
      expect(points).toBeGreaterThanOrEqual(8)
    })
  }

  it('leaves nothing of an item that was deleted while it was merged', async () => {
    const points = await atEveryFault(
      async () => {
        const id = await uploadItem(api, prose(500))
        await beginMerges(env.DB, userId, [id], 4, clock())
        return id
      },
      async (faulty, id) => {
        await deleteItem(env, userId, id, clock(), () => {})
        await mergeItem(faulty, id, clock)
      },
      async (id, point) => {
        await mergeItem(env, id, clock)
        await sweepItems(env, clock())
        expect([point, await rowOf(id), await objectsOf(id)]).toEqual([point, null, []])
      },
    )
    expect(points).toBeGreaterThanOrEqual(4)
  })
})
