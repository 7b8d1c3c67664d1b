import { Hono } from 'hono'
import { CAR_TYPE } from '../../../../contract/media-type.ts'
import { isBlockchain } from '../../../../protocol/chains.ts'
import { answerPost } from '../../../content/chain/answer-content.ts'
import { listName } from '../../../content/chain/content-record.ts'
import { entityTag, noSuchTransaction } from '../../../content/chain/prepare-answer.ts'
import { runInWalkSlot } from '../../../content/ipfs/blocks/walk-slots.ts'
import { onlyMethod } from '../../../platform/http/allowed-methods.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { limitRequest } from '../../../platform/http/limit-requests.ts'
import { IMMUTABLE_CONTENT, SANDBOX } from '../../../platform/http/policies.ts'
import { type Representation, respond } from '../../../platform/http/respond.ts'
import { serverTiming } from '../../../platform/http/server-timing.ts'
import { answerIpfsItemHex, isMeasuredByDag } from '../../items/content/answer-ipfs-item.ts'
import { findStoredItem, isCached } from '../../items/content/find-stored-item.ts'
import type { StoredItem } from '../../items/sql/stored-items.ts'

/** POST /v0/blob, HEAD /v0/blob/<object_id> */
export const blob = new Hono<AppEnv>()

blob.post('/', (c) => answerPost(c, 'blob'))

blob.get('/:id', onlyMethod('HEAD', ' GET /v0/content/<object id> returns the item itself.'), async (c) => {
  await limitRequest(c)
  const id = c.req.param('id')
  const tier = isCached(id) ? 'memory' : 'miss'
  const item = await findStoredItem(c.env, c.executionCtx, id)
  if (!item) return noSuchTransaction()
  if (isMeasuredByDag(item)) return await runInWalkSlot(c.executionCtx, () => answerIpfsItemHex(c, item))
  const { blockchain, txids, cid } = item
  const list = isBlockchain(blockchain) && txids.length > 0 ? listName({ blockchain, txids }) : undefined
  const name = list === undefined ? (cid ?? id) : entityTag(list)
  const headers = new Headers({
    // What the transactions of a directory hold is a CAR.
    'Content-Type': list !== undefined && cid !== undefined ? CAR_TYPE : item.mimetype,
    'Cache-Control': IMMUTABLE_CONTENT,
    'Content-Security-Policy': SANDBOX,
    'Server-Timing': serverTiming(tier),
  })
  return await respond(c.req.raw, { status: 200, headers, etag: `"${name}.hex"`, body: hexOf(item), ranges: false })
})

/** What the item is as hex digits, which only HEAD asks for here. */
function hexOf({ txids, size, storedSize }: StoredItem): Representation['body'] {
  async function* read(): AsyncGenerator<Uint8Array> {}
  return { kind: 'file', size: 2 * (txids.length === 0 ? size : storedSize), read }
}
