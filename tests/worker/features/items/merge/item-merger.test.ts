import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import { selectItem } from '../../../../../worker/features/items/sql/items.ts'
import { beginMerges } from '../../../../../worker/features/items/sql/move-items.ts'
import { faultyEnv } from '../../../faulty-env.ts'
import { signIn } from '../../../sign-in.ts'
import { type Api, callApi, prose, uploadItem } from '../api.ts'

let api: Api
let userId: string
beforeAll(async () => {
  const caller = await signIn()
  api = callApi(caller.headers)
  userId = caller.userId
})

async function uploadedItem() {
  const id = await uploadItem(api, prose(100))
  await beginMerges(env.DB, userId, [id], 4, Date.now())
  return { id, stub: env.ITEM_MERGER.getByName(id) }
}

it('goes on with a merge when its machine dies before it began', async () => {
  const { id, stub } = await uploadedItem()
  await runInDurableObject(stub, async (_, state) => {
    await state.storage.put({ itemId: id, tries: 0 })
    await state.storage.setAlarm(Date.now() + 3_600_000)
  })
  await evictDurableObject(stub)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await selectItem(env.DB, id)).toMatchObject({ state: 'unpaid' })
})

it('tries again later, and later still, while the storage fails; then it keeps nothing', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { id, stub } = await uploadedItem()
  // The clock stands still: however long an attempt lasts, the next one is due so long after it.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const waits: number[] = []
  for (let tries = 0; tries < 3; tries++) {
    const wait = await runInDurableObject(stub, async (instance, state) => {
      await state.storage.put('itemId', id)
      Object.defineProperty(instance, 'env', { value: faultyEnv({ call: 0, when: 'before' }).env, configurable: true })
      const before = Date.now()
      await instance.alarm()
      const next = await state.storage.getAlarm()
      await state.storage.deleteAlarm()
      return (next ?? 0) - before
    })
    waits.push(Math.round(wait / 1000))
  }
  vi.useRealTimers()
  expect(waits).toEqual([2, 4, 8])
  await runInDurableObject(stub, async (instance, state) => {
    Object.defineProperty(instance, 'env', { value: env, configurable: true })
    await instance.alarm()
    expect(await state.storage.list()).toEqual(new Map())
  })
  expect(await selectItem(env.DB, id)).toMatchObject({ state: 'unpaid' })
  log.mockRestore()
})

it('does with less effort what was cut off before it came to an end, and forgets so when a try fails by itself', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { id, stub } = await uploadedItem()
  await runInDurableObject(stub, async (instance, state) => {
    await state.storage.put({ itemId: id, tries: 0, cutOff: 1 })
    Object.defineProperty(instance, 'env', { value: faultyEnv({ call: 0, when: 'before' }).env, configurable: true })
    await instance.alarm()
    expect(await state.storage.get('cutOff')).toBe(1)
    Object.defineProperty(instance, 'env', { value: env, configurable: true })
    await instance.alarm()
    expect(await state.storage.list()).toEqual(new Map())
    await state.storage.deleteAlarm()
  })
  expect(await selectItem(env.DB, id)).toMatchObject({ state: 'unpaid' })
  log.mockRestore()
})

it('opens an upload again whose chunk was lost, and the next request for the merge says which', async () => {
  const { id, stub } = await uploadedItem()
  await env.BUCKET.delete(`chunks/${id}/0`)
  await stub.merge(id)
  expect(await selectItem(env.DB, id)).toMatchObject({ state: 'uploading', refusal: 'chunk_lost' })
  const response = await api.send('POST', `/item/${id}/merge`)
  expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ missing: [0] })])
  await api.send('PUT', `/item/${id}/chunk/0`, prose(100))
  expect((await api.send('POST', `/item/${id}/merge`)).status).toBe(200)
})
