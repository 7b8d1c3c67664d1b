import { expect, it } from 'vitest'
import { parseContentName, writeContentName } from '../../../protocol/inscriptions/content-name.ts'

const ONE = 'ab'.repeat(32)
const TWO = 'cd'.repeat(32)

it.each([
  [`${ONE}i0`, { kind: 'inscription', id: { txid: ONE, index: 0 } }],
  [`${ONE}i4294967295`, { kind: 'inscription', id: { txid: ONE, index: 4_294_967_295 } }],
  [`${ONE}+${TWO}i0`, { kind: 'doginal', txids: [ONE, TWO] }],
  [`stamp:${ONE}`, { kind: 'stamp', txid: ONE }],
])('%s is a name, in one spelling', (text, name) => {
  const read = parseContentName(text.toUpperCase().replace('I', 'i').replace('STAMP', 'stamp'))
  expect(read).toEqual(name)
  expect(read && writeContentName(read)).toBe(text)
})

it.each([
  ONE,
  `${ONE},${TWO}i0`,
  `${ONE}i`,
  `${ONE}i01`,
  `${ONE}i4294967296`,
  `${ONE}+${TWO}i1`,
  `${Array.from({ length: 121 }, () => ONE).join('+')}i0`,
  `stamp:${ONE}i0`,
  `olga:${ONE}`,
])('%s is none', (text) => {
  expect(parseContentName(text)).toBe(undefined)
})
