import { expect, it } from 'vitest'
import { mailboxOf } from '../../../worker/auth/mailbox-of.ts'

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['ada+news@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['+@example.com', '@example.com'],
])('the mailbox of %s is %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox)
})
