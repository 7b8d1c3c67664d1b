import { expect, it } from 'vitest'
import { itemState } from '../../client/item-state.ts'
import { ITEM_STATUSES } from '../../contract/states.ts'

it('each status stands for a state of its own, and one that is not known for none of them', () => {
  const states = ITEM_STATUSES.map((status) => itemState({ status }))
  expect([new Set(states).size, states.includes('unknown')]).toEqual([ITEM_STATUSES.length, false])
  expect(itemState(JSON.parse('{"status":"423 Locked"}'))).toBe('unknown')
})
