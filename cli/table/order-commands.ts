import type { Command } from '../run/context.ts'

/** Commands for the orders of the account, whichever machine created them. */
export const ORDER_COMMANDS: readonly Command[] = [
  {
    name: 'order ls',
    summary: 'List your orders, newest first: what each put or site deploy stored together.',
    details: ['Lists the orders of the account from every machine. hookline ls --order lists the files of one.'],
    arguments: [],
    options: {},
    examples: ['hookline order ls', 'hookline order ls --json | head -1'],
    list: true,
    load: () => import('../commands/order-ls.ts'),
  },
  {
    name: 'order rm',
    summary: 'Delete the unpaid items of orders, and cancel their payments.',
    details: [
      'If a payment for an order was seen, the order is refused and nothing of it is deleted. Paid items stay.',
    ],
    arguments: [{ name: 'id', many: true, text: 'Ids of orders.' }],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline order rm 5f0e3c1a-7f5b-4d2e-9a53-0c4b8f1d2e6a --yes'],
    load: () => import('../commands/order-rm.ts'),
  },
]
