import { acceptChunk } from '../../worker/features/items/accept-chunk.ts'
import { createItems } from '../../worker/features/items/create-items.ts'
import { mergeItem } from '../../worker/features/items/merge/merge-item.ts'
import { requestMerge } from '../../worker/features/items/merge/request-merge.ts'
import type { UploadedItem } from './records.ts'
import { FAULT_RATE, USERS, type World } from './world.ts'

/** Uploads one to three items, each until it is merged: a client that hears nothing sends again. */
export async function uploadItems(world: World): Promise<UploadedItem[]> {
  const { random, d1, r2, blockchain } = world
  const storage = { ...world.variables, DB: d1, BUCKET: r2 }
  const merge = (id: string) => mergeItem(storage, id, () => world.now)
  const env = { ...storage, ITEM_MERGER: { getByName: () => ({ merge }) } }
  const items: UploadedItem[] = []
  const count = random.integer(1, 3)
  for (let i = 0; i < count; i++) {
    const userId = random.pick(USERS) ?? 'ada'
    const content = random.bytes(contentLength(world))
    const fields = { name: 'a.bin', mimetype: 'application/octet-stream', blockchain, size: content.length }
    const [created] = await createItems(
      { ...world.config, db: d1 },
      userId,
      [{ ...fields, folder: undefined, at: '' }],
      world.now,
    )
    if (!created) throw new Error('no item was created')
    const { id } = created
    world.stage.faultRate = FAULT_RATE
    for (let merged = false; !merged; ) {
      // A client that hears nothing sends again.
      await world.stage.run([
        async () => {
          try {
            const body = new Request('http://api.example/', { method: 'PUT', body: content })
            await acceptChunk(env, { userId, itemId: id, index: '0', body }, world.now)
          } catch {}
        },
      ])
      await world.stage.run([
        async () => {
          try {
            merged = (await requestMerge(env, world.config, userId, id, world.now)).state === 'unpaid'
          } catch {}
        },
      ])
    }
    world.stage.faultRate = 0
    // The transactions of these worlds are too small for a service that is asked to offer it.
    if (world.models.has('content-indexes')) d1.rows('UPDATE items SET indexed = 1 WHERE id = ?', id)
    world.expected.set(id, Uint8Array.from(world.r2.objects.get(`stored/${id}`) ?? []))
    items.push({ id, userId })
  }
  return items
}

/** Bytes of an item: some are large; where blocks pass the service by, most have several transactions. */
function contentLength({ random, models, config, blockchain }: World): number {
  if (random.chance(0.08)) return random.integer(300, 900)
  if (!models.has('passed-by')) return random.integer(1, 100)
  return random.integer(1, 6 * config.chains[blockchain].maxDataBytes)
}
