import { env } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { listOldObjects } from '../../../worker/storage/items/item-objects.ts'

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

it('what is left of items is looked for among objects that are more than a day old', async () => {
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
