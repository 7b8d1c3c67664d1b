/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'
import { ITEM_STATES, STATUS, stateOfRow } from '../../../../worker/features/items/sql/item-state.ts'

it('has no number that no state has', () => {
  for (const state of ITEM_STATES) expect(stateOfRow(STATUS[state], state === 'merging' ? 1 : null)).toBe(state)
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
