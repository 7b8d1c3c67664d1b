import { Hono } from 'hono'
import { answerPost } from '../chain-content/answer-content.ts'
import { listName } from '../chain-content/content-record.ts'
import { entityTag, nothingFound } from '../chain-content/prepare-answer.ts'
import { onlyMethod } from '../http/allowed-methods.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRequest } from '../http/limit-requests.ts'
import { IMMUTABLE, SANDBOX } from '../http/policies.ts'
import { type Representation, respond } from '../http/respond.ts'
import { serverTiming } from '../http/server-timing.ts'
import { enterInTurn } from '../ipfs/blocks/enter-in-turn.ts'
import { answerIpfsItemHex, isMeasuredByDag } from '../item-content/answer-ipfs-item.ts'
import { findStoredItem, isRemembered } from '../item-content/find-stored-item.ts'
import type { StoredItem } from '../storage/items/stored-items.ts'

/** POST /v0/blob, HEAD /v0/blob/<object_id> */
export const blob = new Hono<AppEnv>()

blob.post('/', (c) => answerPost(c, 'blob'))

blob.get('/:id', onlyMethod('HEAD', ' GET /v0/content/<object id> returns the item itself.'), async (c) => {
  await limitRequest(c)
  const id = c.req.param('id')
  const tier = isRemembered(id) ? 'memory' : 'miss'
  const item = await findStoredItem(c.env, c.executionCtx, id)
  if (!item) return nothingFound()
  if (isMeasuredByDag(item)) return await enterInTurn(c.executionCtx, () => answerIpfsItemHex(c, item))
  const { blockchain, txids } = item
  const name = blockchain === 'IPFS' ? (item.cid ?? id) : entityTag(listName({ blockchain, txids }))
  const headers = new Headers({
    'Content-Type': item.mimetype,
    'Cache-Control': IMMUTABLE,
    'Content-Security-Policy': SANDBOX,
    'Server-Timing': serverTiming(tier),
  })
  return await respond(c.req.raw, { status: 200, headers, etag: `"${name}.hex"`, body: hexOf(item), ranges: false })
})

/** What the item is as hex digits, which only HEAD asks for here. */
function hexOf({ blockchain, size, storedSize }: StoredItem): Representation['body'] {
  async function* read(): AsyncGenerator<Uint8Array> {}
  return { kind: 'file', size: 2 * (blockchain === 'IPFS' ? size : storedSize), read }
}
