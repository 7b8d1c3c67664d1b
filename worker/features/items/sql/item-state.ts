/**
 * The states of an item, in the order in which one passes through them: its chunks arrive, it is merged, waits for
 * payment, is written, and is stored. `stopped` needs an operator, or the payment back that a reorganisation took.
 */
export const ITEM_STATES = ['uploading', 'merging', 'unpaid', 'writing', 'stored', 'stopped'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/** The number of a state in the column `status` and in the API. A merge is an upload there; its row has `merging_at`. */
export const STATUS = { uploading: 201, merging: 201, unpaid: 402, writing: 202, stored: 200, stopped: 409 } as const
export type ItemStatus = (typeof STATUS)[ItemState]

const STATUS_TEXT: Record<ItemStatus, string> = {
  201: '201 Created',
  402: '402 Payment Required',
  202: '202 Accepted',
  200: '200 OK',
  409: '409 Conflict',
}

/** Every status text of the API, in the order in which an item passes through them. */
export const STATUS_TEXTS: readonly string[] = [...new Set(ITEM_STATES.map(statusText))]

/** Whether nothing was paid for an item in this state: it is uploaded, merged, or waits for payment. */
export function isUnpaid(state: ItemState): boolean {
  return state === 'uploading' || state === 'merging' || state === 'unpaid'
}

/** A state as the API names it. */
export function statusText(state: ItemState): string {
  return STATUS_TEXT[STATUS[state]]
}

/** The status that `text` names: its number, with or without the words behind it. */
export function parseItemStatus(text: string): ItemStatus | undefined {
  return ITEM_STATES.map((state) => STATUS[state]).find(
    (status) => text === String(status) || text === STATUS_TEXT[status],
  )
}

/** The state of a row. @throws {RangeError} for a number that no state has. */
export function stateOfRow(status: number, mergingAt: number | null): ItemState {
  if (status === STATUS.uploading) return mergingAt === null ? 'uploading' : 'merging'
  const state = ITEM_STATES.find((name) => STATUS[name] === status)
  if (!state) throw new RangeError(`no state of an item has the number ${status}`)
  return state
}

/** The SQL condition that a row of `items`, here called `table`, is in one of `states`. */
export function inState(states: ItemState | readonly ItemState[], table = 'items'): string {
  const each = (typeof states === 'string' ? [states] : states).map((state) => {
    const status = `${table}.status = ${STATUS[state]}`
    if (state === 'uploading') return `${status} AND ${table}.merging_at IS NULL`
    return state === 'merging' ? `${status} AND ${table}.merging_at IS NOT NULL` : status
  })
  return each.length === 1 ? each.join() : `(${each.map((condition) => `(${condition})`).join(' OR ')})`
}
