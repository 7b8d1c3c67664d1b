import { type Context, Hono } from 'hono'
import type { CreatedItem } from '../../../../contract/item.ts'
import { now } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { BODY_LIMIT, readJson, readOptionalJson } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { type CallerEnv, requireToken } from '../../auth/require-token.ts'
import { acceptChunk } from '../accept-chunk.ts'
import { changeItem } from '../change-label.ts'
import { checkNewItem } from '../check-new-item.ts'
import { type ChunkPlan, chunkLength } from '../chunk-plan.ts'
import { findStoredItem } from '../content/find-stored-item.ts'
import { createItems } from '../create-items.ts'
import { itemJson } from '../item-json.ts'
import { itemPage } from '../item-page.ts'
import { readItemQuery } from '../item-query.ts'
import { type MergeAnswer, requestMerge, requestMerges } from '../merge/request-merge.ts'
import { requireItem } from '../require-item.ts'
import { type ItemCount, selectItemCounts } from '../sql/item-lists.ts'
import { listChunks } from '../sql/item-objects.ts'
import { ITEM_STATES, STATUS } from '../sql/item-state.ts'
import type { PublishedItem } from '../sql/items.ts'
import type { StoredItem } from '../sql/stored-items.ts'
import { statTail } from '../sql/upload-objects.ts'

/** /v0/item: files from their first chunk to their transactions. */
export const item = new Hono<AppEnv>()

const schemas = () => import('../../../../contract/item.ts')

/** Seconds after which to ask again for a merge that is still running. */
const RETRY_AFTER = '2'

item.post('/', requireToken('store'), idempotent(BODY_LIMIT.retrieval), async (c) => {
  const body = await readJson(c, BODY_LIMIT.retrieval)
  const config = c.get('config')
  const isList = body.items !== undefined
  const requests = isList
    ? (await parseAs(body, schemas, 'NewItems')).items.map((one, index) =>
        checkNewItem(one, config, `items[${index}].`),
      )
    : [checkNewItem(await parseAs(body, schemas, 'NewItem'), config)]
  const answerOf = (items: readonly CreatedItem[]) => ({ status: 201, body: isList ? { items } : items[0] })
  const context = { ...config, db: c.env.DB }
  const record = (items: readonly CreatedItem[]) => c.get('record')(answerOf(items))
  return c.json(answerOf(await createItems(context, c.get('caller').userId, requests, now(), record)).body, 201)
})

item.post('/merge', requireToken('store'), async (c) => {
  const config = c.get('config')
  const { items: ids, index } = await readRequest(c, BODY_LIMIT.account, schemas, 'MergeList')
  const { userId, key } = c.get('caller')
  const answers = await requestMerges(c.env, config, userId, ids, now, { byKey: key !== undefined, index })
  return c.json({ items: answers.map((answer) => mergeAnswerJson(answer, config)) })
})

item.get('/', requireToken('store'), async (c) => {
  const query = readItemQuery(await parseAs(c.req.query(), schemas, 'ItemQuery'))
  const { items, cursor, ...place } = await itemPage(c.env.DB, c.get('caller'), query)
  return c.json({
    items: items.map((entry) => itemJson(entry, c.get('config'))),
    ...place,
    ...(cursor === undefined ? {} : { cursor }),
  })
})

item.get('/counts', requireToken('store'), async (c) =>
  c.json(countsJson(await selectItemCounts(c.env.DB, c.get('caller').userId))),
)

item.get('/:id', requireToken('store'), async (c) => {
  const found = await requireItem(c.env.DB, c.get('caller').userId, c.req.param('id'))
  const json = itemJson(found, c.get('config'))
  if (found.state !== 'uploading') return c.json(json)
  return c.json({ ...json, received: await countReceived(c.env.BUCKET, found) })
})

item.patch('/:id', requireToken('store'), async (c) => {
  const change = await readRequest(c, BODY_LIMIT.account, schemas, 'ItemChange')
  const changed = await changeItem(c.env.DB, c.get('caller').userId, c.req.param('id'), change, now())
  return c.json(itemJson(changed, c.get('config')))
})

// Public, as the content is.
item.get('/:id/source', async (c) => {
  const found = await findStoredItem(c.env, c.executionCtx, c.req.param('id'))
  if (!found) throw notFound('There is no item with this object id, or it is not stored yet.')
  return c.json(sourceJson(found))
})

item.put('/:id/chunk/:index', requireToken('store'), async (c) => {
  const { id: itemId, index } = c.req.param()
  const { userId, key } = c.get('caller')
  await acceptChunk(c.env, { userId, byKey: key !== undefined, itemId, index, body: c.req.raw }, now())
  return c.body(null, 204)
})

item.post('/:id/merge', requireToken('store'), async (c) => {
  const { userId, key } = c.get('caller')
  const options = { byKey: key !== undefined, index: await readIndexOption(c) }
  const merged = await requestMerge(c.env, c.get('config'), userId, c.req.param('id'), now(), options)
  return answerMerge(c, merged)
})

function mergeAnswerJson(answer: MergeAnswer, config: Config) {
  if ('item' in answer) return { id: answer.id, item: itemJson(answer.item, config) }
  const { code, message, details } = answer.refusal
  return { id: answer.id, message, code, ...details }
}

/** What a request for a merge, which may have no body, says of an index. @throws {AppError} 413, 415, 400. */
export async function readIndexOption(c: Context): Promise<boolean | undefined> {
  const body = await readOptionalJson(c, BODY_LIMIT.account)
  return body && (await parseAs(body, schemas, 'MergeOptions')).index
}

/** 200 with the merged item, or 202 with the item as it is while its merge is running. */
export function answerMerge(c: Context<CallerEnv>, merged: PublishedItem): Response {
  const json = itemJson(merged, c.get('config'))
  if (merged.state !== 'uploading' && merged.state !== 'merging') return c.json(json)
  return c.json({ ...json, message: 'The merge is still running. Ask again.' }, 202, { 'Retry-After': RETRY_AFTER })
}

/** Bytes that are held of an upload: of chunks that are whole, and of the one that is not yet. */
async function countReceived(bucket: R2Bucket, item: ChunkPlan & { id: string }): Promise<number> {
  const [chunks, tail] = await Promise.all([listChunks(bucket, item.id), statTail(bucket, item.id)])
  let bytes = 0
  for (const [index, length] of chunks) if (chunkLength(item, index) === length) bytes += length
  return tail && !chunks.has(tail.index) ? bytes + tail.length : bytes
}

/** How many items of an account are listed in each state, by the number of its status, and in all; and how many are hidden. */
function countsJson(counted: readonly ItemCount[]) {
  const counts = Object.fromEntries(ITEM_STATES.map((state) => [String(STATUS[state]), 0]))
  let total = 0
  let hidden = 0
  let bytes = 0
  for (const count of counted) {
    if (count.hidden === 1) {
      hidden += count.n
      continue
    }
    counts[count.status] = count.n
    total += count.n
    bytes += count.bytes
  }
  return { counts, total, hidden, bytes }
}

/**
 * What a stored item is made of, for whoever reads and verifies it without this service; `size` in bytes. A directory on a
 * chain has both.
 */
function sourceJson({ blockchain, name, mimetype, size, txids, index, cid }: StoredItem) {
  return {
    blockchain,
    name,
    mimetype,
    size,
    ...(txids.length > 0 ? { txids } : {}),
    ...(index === undefined ? {} : { index }),
    ...(cid === undefined ? {} : { cid }),
  }
}
