import { expect, it } from 'vitest'
import { limitsPage, withLimits } from '../../scripts/limits-document.ts'

it('the tables of limits in docs/operators.md have the numbers of the code; npm run docs:limits writes them', () => {
  const page = limitsPage()
  expect(withLimits(page)).toBe(page)
  expect(() => withLimits('no place')).toThrow('has no place')
})
