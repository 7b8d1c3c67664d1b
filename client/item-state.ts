import type { ItemStatus } from './generated/types.ts'

/**
 * Where an item stands: `uploading`, `unpaid` once it is merged, `writing` once it is paid, `stored`, or `stopped` until an
 * operator acts.
 */
export type ItemState = 'uploading' | 'unpaid' | 'writing' | 'stored' | 'stopped'

/** The states, and the numbers that the API filters by. */
export const STATUS_OF_STATE: Readonly<Record<ItemState, string>> = {
  uploading: '201',
  unpaid: '402',
  writing: '202',
  stored: '200',
  stopped: '409',
}

const STATES: Readonly<Record<ItemStatus, ItemState>> = {
  '201 Created': 'uploading',
  '402 Payment Required': 'unpaid',
  '202 Accepted': 'writing',
  '200 OK': 'stored',
  '409 Conflict': 'stopped',
}

/** The word for an item's status. */
export function itemState({ status }: { status: ItemStatus }): ItemState {
  return STATES[status]
}
