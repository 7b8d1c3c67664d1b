import type { Command } from '../run/context.ts'
import { AS, HIDDEN, INDEX, MIMETYPE, PAYING, TO, WHAT } from './options.ts'

/** Commands that store, and that follow what is being stored. */
export const STORING_COMMANDS: readonly Command[] = [
  {
    name: 'put',
    summary: 'Store a file or a folder.',
    details: [
      'Checks everything first, shows the price and asks, uploads, and prints the payment. Killed at any moment, the same command goes on where it was and pays once: what has been begun is known by the service, the account, the target and the SHA-256 of the content, not by path or date.',
      'On ipfs a folder becomes one directory with one CID. On a chain it becomes one website where an index.html is in it, one item whose transactions hold all files with their folders, and else each file becomes an item of its own; --as says it. Of a folder, .git, node_modules, files whose name begins with a dot, links that lead out of it and what .hooklineignore names (in the syntax of .gitignore, in any folder) are left out, and each is named. A website keeps the folders that nothing is in.',
      'What is written to a chain cannot be taken back.',
    ],
    arguments: [WHAT],
    options: {
      to: TO,
      as: AS,
      ...INDEX,
      ...PAYING,
      name: { value: 'name', text: 'Name of the item; needed for stdin, else that of the file.' },
      mimetype: MIMETYPE,
      hidden: HIDDEN,
      new: { text: 'Begin anew, though the same content has been begun or stored before.' },
    },
    examples: [
      'hookline put picture.jpg --to nativecoin --wait',
      'hookline put dist --to nativecoin --as website --max-fee 0.1 --wait',
      'hookline put site/ --to ipfs --pay-from-balance --max-fee 0.01 --wait --json',
      'tar c notes | hookline put - --name notes.tar --to bitcoin --dry-run',
    ],
    load: () => import('../commands/put.ts'),
  },
  {
    name: 'estimate',
    summary: 'Say what storing would cost now; nothing is sent but sizes.',
    arguments: [WHAT],
    options: { to: TO, as: AS, ...INDEX, mimetype: MIMETYPE, hidden: HIDDEN },
    examples: ['hookline estimate video.mp4 --to ipfs'],
    load: () => import('../commands/estimate.ts'),
  },
  {
    name: 'pay',
    summary: 'Show the payment of items that wait for it, with a QR code, or pay them from the balance.',
    arguments: [{ name: 'id', many: true, text: 'Ids of items; all of one target.' }],
    options: PAYING,
    examples: ['hookline pay 6b01a4cc8a40fc232d317ec6 --wait'],
    load: () => import('../commands/pay.ts'),
  },
  {
    name: 'status',
    summary: 'Say where an item stands, or what has been begun on this machine.',
    details: [
      'With an id it ends with 0 when the item is stored, 8 while it waits or is written, 5 when it has stopped.',
    ],
    arguments: [{ name: 'id', optional: true, text: 'Id of an item.' }],
    options: { wait: { text: 'Stay until it is stored or has stopped.' } },
    examples: ['hookline status 6b01a4cc8a40fc232d317ec6 --wait'],
    load: () => import('../commands/status.ts'),
  },
  {
    name: 'ls',
    summary: 'List your items, newest first.',
    arguments: [],
    options: {
      status: {
        value: 'state',
        choices: ['uploading', 'unpaid', 'writing', 'stored', 'stopped'],
        text: 'Only these: uploading, unpaid, writing, stored or stopped.',
      },
      name: { value: 'words', text: 'Only those whose name has words that begin so.' },
      order: { value: 'id', text: 'Only those of this order, files of its folder among them; not with --name.' },
    },
    examples: ['hookline ls --status unpaid', 'hookline ls --json | head -1'],
    list: true,
    load: () => import('../commands/ls.ts'),
  },
  {
    name: 'rm',
    summary: 'Delete items that are not paid for.',
    arguments: [{ name: 'id', many: true, text: 'Ids of items.' }],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline rm 6b01a4cc8a40fc232d317ec6 --yes'],
    load: () => import('../commands/rm.ts'),
  },
]
