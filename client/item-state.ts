import type { ItemStatus } from './generated/types.ts'

/**
 * The state of an item: `uploading`; `unpaid` when it is merged; `writing` when it is paid; `stored`; or `stopped`
 * until an operator acts.
 */
export type ItemState = 'uploading' | 'unpaid' | 'writing' | 'stored' | 'stopped'

/** The states, with the numbers that the API filters by. */
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

/** The state that an item's HTTP status stands for. */
export function itemState({ status }: { status: ItemStatus }): ItemState {
  return STATES[status]
}
