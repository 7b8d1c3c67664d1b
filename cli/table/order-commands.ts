import type { Command } from '../run/context.ts'

/** Commands for orders, from this machine or another. */
export const ORDER_COMMANDS: readonly Command[] = [
  {
    name: 'order ls',
    summary: 'List your orders, newest first: what each put or site deploy stored together.',
    details: [
      'They are those of the account, on whatever machine they were begun. hookline ls --order lists the files of one.',
    ],
    arguments: [],
    options: {},
    examples: ['hookline order ls', 'hookline order ls --json | head -1'],
    list: true,
    load: () => import('../commands/order-ls.ts'),
  },
  {
    name: 'order rm',
    summary: 'Delete what is unpaid of orders, and cancel the payments that wait for it.',
    details: ['An order for which money was seen is refused, and nothing of it is deleted. What is paid stays.'],
    arguments: [{ name: 'id', many: true, text: 'Ids of orders.' }],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline order rm 5f0e3c1a-7f5b-4d2e-9a53-0c4b8f1d2e6a --yes'],
    load: () => import('../commands/order-rm.ts'),
  },
]
