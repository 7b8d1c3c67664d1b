/// <reference types="vite/types/importMeta.d.ts" />
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectId } from '../../../../protocol/object-id.ts'
import { ITEM_STATES, type ItemState, STATUS, stateOfRow } from '../../../../worker/features/items/sql/item-state.ts'
import { selectItem } from '../../../../worker/features/items/sql/items.ts'
import {
  beginMerges,
  finishMerges,
  insertUploads,
  payItemsStatements,
  publishChainItemStatements,
  publishIpfsItemStatements,
  refuseMerge,
  removeItemStatements,
  resumeItemsStatements,
  stopItemsStatements,
} from '../../../../worker/features/items/sql/move-items.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { batchIf } from '../../../../worker/platform/d1/guarded-batch.ts'

const NOW = 1_700_000_000_000
const USER = 'a'.repeat(24)
const MERGED = { storedSize: 1, transactions: 0, maxDataBytes: null, cid: 'cid' }
const REASON = 'The node refuses it.'

type Move = (id: string) => Promise<unknown>
const batch = async (statements: D1PreparedStatement[]) => await batchIf(env.DB, statements)
const request = (id: string) => ({
  id: `request-${id}`,
  userId: USER,
  blockchain: 'Bitcoin' as const,
  target: 'Bitcoin' as const,
  itemIds: [id],
})

/** Every move, with the states that it leaves and the one that it leads to; from any other it changes nothing. */
const MOVES: Record<string, { run: Move; from: readonly ItemState[]; to: ItemState | 'hidden' }> = {
  'begin the merge': {
    run: (id) => beginMerges(env.DB, USER, [id], Number.MAX_SAFE_INTEGER, NOW),
    from: ['uploading'],
    to: 'merging',
  },
  'refuse the merge': {
    run: (id) => refuseMerge(env.DB, id, { code: 'content_too_large', message: REASON }, NOW),
    from: ['merging'],
    to: 'uploading',
  },
  'finish the merge': { run: (id) => finishMerges(env.DB, [{ id, ...MERGED }], NOW), from: ['merging'], to: 'unpaid' },
  pay: { run: (id) => batch(payItemsStatements(env.DB, request(id), NOW)), from: ['unpaid'], to: 'writing' },
  park: {
    run: (id) => batch(stopItemsStatements(env.DB, [id], 'parked', REASON, NOW)),
    from: ['writing'],
    to: 'stopped',
  },
  resume: {
    run: (id) => batch(resumeItemsStatements(env.DB, [id], 'parked', NOW)),
    from: ['stopped'],
    to: 'writing',
  },
  'publish on a chain': {
    run: async (id) => {
      await env.DB.prepare(
        `UPDATE writes SET transactions = 0, state = 'writing' WHERE item_id = ? AND state = 'queued'`,
      )
        .bind(id)
        .run()
      await batch(publishChainItemStatements(env.DB, id, [], 0, NOW))
    },
    from: ['writing'],
    to: 'stored',
  },
  'publish on IPFS': {
    run: (id) => batch(publishIpfsItemStatements(env.DB, id, NOW)),
    from: ['writing'],
    to: 'stored',
  },
  remove: {
    run: (id) => batch(removeItemStatements(env.DB, id, NOW)),
    from: ['uploading', 'merging', 'unpaid'],
    to: 'hidden',
  },
}

/** The moves by which an item gets into each state. */
const WAY: Record<ItemState, string[]> = {
  uploading: [],
  merging: ['begin the merge'],
  unpaid: ['begin the merge', 'finish the merge'],
  writing: ['begin the merge', 'finish the merge', 'pay'],
  stored: ['begin the merge', 'finish the merge', 'pay', 'publish on IPFS'],
  stopped: ['begin the merge', 'finish the merge', 'pay', 'park'],
}

/** What the write of an item says in each state; there is none in the others. */
const WRITES: Partial<Record<ItemState | 'hidden', string[]>> = {
  writing: ['queued', 'writing'],
  stopped: ['parked'],
  stored: ['published', 'done'],
}

async function newItem(): Promise<string> {
  const id = objectId(NOW)
  const content = { name: 'page.html', mimetype: 'text/html', size: 1, chunkSize: 1, chunks: 1 }
  await insertUploads(
    env.DB,
    USER,
    [{ id, userId: USER, folderId: null, blockchain: 'Bitcoin', createdAt: NOW, ...content }],
    readConfig(env).quotas,
  )
  await env.DB.prepare(
    `INSERT INTO payment_requests (id, user_id, target, blockchain, item_set, amount, state, created_at, expires_at)
     VALUES (?, ?, 'Bitcoin', 'Bitcoin', ?, '1', 'settled', ?, ?)`,
  )
    .bind(request(id).id, USER, id, NOW, NOW)
    .run()
  return id
}

async function go(id: string, moves: readonly string[]): Promise<void> {
  for (const move of moves) await MOVES[move]?.run(id)
}

const stateOf = async (id: string) => (await selectItem(env.DB, id))?.state ?? 'hidden'

describe.each(ITEM_STATES)('an item that is %s', (state) => {
  it.each(Object.entries(MOVES))('changes on "%s" as the table says, and in no other way', async (_, move) => {
    const id = await newItem()
    await go(id, WAY[state])
    expect(await stateOf(id)).toBe(state)
    await move.run(id)
    expect(await stateOf(id)).toBe(move.from.includes(state) ? move.to : state)
  })
})

it('is in the state that its moves lead to, its write in step with it, whatever they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(MOVES)), { maxLength: 12 }), async (names) => {
      const id = await newItem()
      let state: ItemState | 'hidden' = 'uploading'
      for (const name of names) {
        const move = MOVES[name]
        await move?.run(id)
        if (move && state !== 'hidden' && move.from.includes(state)) state = move.to
      }
      const write = await env.DB.prepare('SELECT state FROM writes WHERE item_id = ?').bind(id).first('state')
      expect(await stateOf(id)).toBe(state)
      expect(write).toBeOneOf(WRITES[state] ?? [null])
    }),
    { numRuns: 60 },
  )
})

it('has no number that no state has', () => {
  for (const state of ITEM_STATES) expect(stateOfRow(STATUS[state], state === 'merging' ? NOW : null)).toBe(state)
  expect(() => stateOfRow(404, null)).toThrow(RangeError)
})

it('gets its state from one file', () => {
  const sources = import.meta.glob<string>('../../../../worker/**/*.ts', {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  const setsState = /UPDATE items\s+SET (?:(?!WHERE|`)[\s\S])*\bstatus\s*=/
  const setting = Object.entries(sources).filter(([, text]) => setsState.test(text))
  expect(setting.map(([path]) => path.split('/').at(-1))).toEqual(['move-items.ts'])
})
