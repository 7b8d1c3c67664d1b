import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import {
  chunkKey,
  deleteChunks,
  listChunks,
  listFirstChunks,
  listOldObjects,
} from '../../../../../worker/features/items/sql/item-objects.ts'
import { listHeldChunks } from '../../../../../worker/features/items/sql/upload-objects.ts'

const NOW = 1_800_000_000_000
const DAY = 86_400_000

/** A bucket that lists an object of each age, in milliseconds, and tells what it was asked for. */
function bucketOf(...ages: readonly number[]): { bucket: R2Bucket; asked: R2ListOptions[] } {
  const asked: R2ListOptions[] = []
  const objects = ages.map((age) => ({ key: `stored/${age}`, uploaded: new Date(NOW - age) }))
  const bucket = new Proxy(env.BUCKET, {
    get: () => async (options: R2ListOptions) => {
      asked.push(options)
      return { objects }
    },
  })
  return { bucket, asked }
}

it('objects without an item are looked for among those that are more than a day old', async () => {
  const { bucket } = bucketOf(0, DAY - 1, DAY, DAY + 1, 9 * DAY)
  expect(await listOldObjects(bucket, 'stored/', NOW, 0)).toEqual([`stored/${DAY + 1}`, `stored/${9 * DAY}`])
})

it('most looks begin at some time of the last thirty days, each fifth at the oldest object', async () => {
  const { bucket, asked } = bucketOf()
  for (const random of [0, 0.5, 0.8, 0.81, 0.999]) await listOldObjects(bucket, 'stored/', NOW, random)
  const since = (days: number) => `stored/${((NOW - days * DAY) / 1000).toString(16)}`
  expect(asked.map(({ startAfter }) => startAfter)).toEqual([since(0), since(18.75), since(30), 'stored/', 'stored/'])
  expect(asked[0]).toMatchObject({ prefix: 'stored/', limit: 500 })
})

/** A bucket with three chunks of an item, which lists one in a call. */
function pagedBucket(): { bucket: R2Bucket; asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = []
  const bucket = new Proxy(env.BUCKET, {
    get:
      () =>
      async ({ prefix, cursor }: R2ListOptions) => {
        asked.push(cursor)
        const index = Number(cursor ?? 0)
        const objects = [{ key: `${prefix}${index}`, size: 5 + index, etag: `etag ${index}` }]
        return { objects, ...(index < 2 ? { truncated: true, cursor: String(index + 1) } : { truncated: false }) }
      },
  })
  return { bucket, asked }
}

it('all chunks of an upload are found, in as many calls as that takes', async () => {
  const { bucket, asked } = pagedBucket()
  expect([...(await listChunks(bucket, 'item'))]).toEqual([
    [0, 5],
    [1, 6],
    [2, 7],
  ])
  expect([...(await listHeldChunks(bucket, 'item'))].map(([index, { etag }]) => [index, etag])).toEqual([
    [0, 'etag 0'],
    [1, 'etag 1'],
    [2, 'etag 2'],
  ])
  expect(asked).toEqual([undefined, '1', '2', undefined, '1', '2'])
})

it('the first chunks of items are found in one look', async () => {
  for (const [id, index] of [
    ['first-a', 0],
    ['first-a', 1],
    ['first-b', 1],
    ['first-c', 0],
    ['first-d', 0],
  ] as const) {
    await env.BUCKET.put(chunkKey(id, index), id + index)
  }
  expect(await listFirstChunks(env.BUCKET, ['first-c', 'first-b', 'first-a'])).toEqual(
    new Map([
      ['first-a', 8],
      ['first-c', 8],
    ]),
  )
  expect(await listFirstChunks(env.BUCKET, [])).toEqual(new Map())
})

it('chunks are deleted a thousand in a call, which is as many as R2 takes', async () => {
  const deleted: string[][] = []
  const bucket = new Proxy(env.BUCKET, { get: () => async (keys: string[]) => void deleted.push(keys) })
  await deleteChunks(bucket, 'item', 2001)
  expect(deleted.map(({ length, 0: first }) => [length, first])).toEqual([
    [1000, chunkKey('item', 0)],
    [1000, chunkKey('item', 1000)],
    [1, chunkKey('item', 2000)],
  ])
})
