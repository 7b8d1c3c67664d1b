import { expect, it } from 'vitest'
import { normalizeEmail } from '../../../../worker/features/auth/count-attempt.ts'

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['ada+news@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['a.d.a@googlemail.com', 'ada@gmail.com'],
  ['+@example.com', '@example.com'],
  ['ada@example.com,xy', 'ada@example.com'],
  ['ada@example.com;xyz', 'ada@example.com'],
  ['ada+1@example.com com', 'ada@example.com'],
  ['ada@example.com@xy', 'ada@example.com'],
])('A47: the mailbox of %s is %s', (email, mailbox) => {
  expect(normalizeEmail(email)).toBe(mailbox)
})
