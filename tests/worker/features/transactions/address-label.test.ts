import { expect, it } from 'vitest'
import { addressLabel, parseAddressLabel } from '../../../../worker/features/transactions/address-label.ts'

it.each([
  ['hookline:request:user-1:request_2', { kind: 'request', userId: 'user-1', requestId: 'request_2' }],
  ['hookline:deposit:user-1:', { kind: 'deposit', userId: 'user-1', requestId: undefined }],
] as const)('the label %s of an address says whose it is', (label, said) => {
  expect(addressLabel(said)).toBe(label)
  expect(parseAddressLabel(label)).toEqual(said)
})

it.each([
  undefined,
  '',
  'hookline:change:user:',
  'hookline:deposit::',
  'hookline:deposit:user',
  'hookline:deposit:user:request:more',
  'not hookline:deposit:user:',
  `hookline:deposit:${'u'.repeat(65)}:`,
  'hookline:deposit:a b:',
])('a label that is none of ours is of nobody: %s', (label) => {
  expect(parseAddressLabel(label)).toBeUndefined()
})
