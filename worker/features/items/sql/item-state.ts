import { ITEM_STATUSES, type ItemStatus as ItemStatusText } from '../../../../contract/states.ts'

/**
 * The states of an item, in the order in which one passes through them: its chunks arrive, it is merged, waits for
 * payment, is written, and is stored. `stopped` needs an operator, or the payment that a reorganisation removed.
 */
export const ITEM_STATES = ['uploading', 'merging', 'unpaid', 'writing', 'stored', 'stopped'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/** The number of a state in the column `status` and in the API. A merge is an upload there; its row has `merging_at`. */
export const STATUS = { uploading: 201, merging: 201, unpaid: 402, writing: 202, stored: 200, stopped: 409 } as const
export type ItemStatus = (typeof STATUS)[ItemState]

/** Whether nothing was paid for an item in this state: it is uploaded, merged, or waits for payment. */
export function isUnpaid(state: ItemState): boolean {
  return state === 'uploading' || state === 'merging' || state === 'unpaid'
}

/** A state as the API names it. */
export function statusText(state: ItemState): ItemStatusText {
  return textOf(STATUS[state])
}

/** The status that `text` names: its number, with or without the words behind it. */
export function parseItemStatus(text: string): ItemStatus | undefined {
  return ITEM_STATES.map((state) => STATUS[state]).find((status) => text === String(status) || text === textOf(status))
}

function textOf(status: ItemStatus): ItemStatusText {
  const text = ITEM_STATUSES.find((each) => each.startsWith(`${status} `))
  if (text === undefined) throw new RangeError(`no status of the API has the number ${status}`)
  return text
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
