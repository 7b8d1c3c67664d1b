import type { ItemStatus } from './generated/types.ts'

/** The states, with the numbers that the API filters by. */
export const STATUS_OF_STATE = {
  uploading: '201',
  unpaid: '402',
  writing: '202',
  stored: '200',
  stopped: '409',
} as const

/**
 * The state of an item: `uploading`; `unpaid` when it is merged; `writing` when it is paid; `stored`; `stopped` until an
 * operator acts; or `unknown` for one that a later version of the service has.
 */
export type ItemState = keyof typeof STATUS_OF_STATE | 'unknown'

const STATES: Readonly<Record<ItemStatus, ItemState>> = {
  '201 Created': 'uploading',
  '402 Payment Required': 'unpaid',
  '202 Accepted': 'writing',
  '200 OK': 'stored',
  '409 Conflict': 'stopped',
}

/** The state that an item's HTTP status stands for. */
export function itemState({ status }: { status: ItemStatus }): ItemState {
  return Object.hasOwn(STATES, status) ? STATES[status] : 'unknown'
}
