import type { Command } from '../run/context.ts'
import { AS, CURRENCY, HIDDEN, INDEX, MIMETYPE, PAYING, TO, WHAT } from './options.ts'

/** Commands that store, and that follow what is being stored. */
export const STORING_COMMANDS: readonly Command[] = [
  {
    name: 'put',
    summary: 'Store a file or a folder.',
    details: [
      'Validates everything first, shows the price and asks, uploads, and prints the payment. If it is killed, the same command resumes and pays once: an order is identified by the service, the account, the target and the SHA-256 of the content, not by path or date.',
      'On ipfs a folder becomes one directory with one CID. On a chain a folder with a first page becomes one website: one item whose transactions contain all files with their folders. The first page is index.html, else index.htm, default.html or default.htm, also in capital letters. Without one each file becomes an item. --as overrides this. Left out of a folder, and listed, are .git, node_modules, files of the desktop such as __MACOSX and Thumbs.db, files whose name begins with a dot, symbolic links that lead out of it and what .hooklineignore matches (in the syntax of .gitignore, in any folder). A website includes its empty folders, but not those in which there are only files of the desktop.',
      'What the service calls stored is read back and compared with what was hashed before it was sent: other bytes end with 6. Files that changed on this machine since then are named, and stay stored as they were sent.',
      'What is written to a chain cannot be deleted.',
    ],
    arguments: [WHAT],
    options: {
      to: TO,
      as: AS,
      ...INDEX,
      ...PAYING,
      name: { value: 'name', text: 'Name of the item; required for stdin. Default: the name of the file.' },
      mimetype: MIMETYPE,
      hidden: HIDDEN,
      new: { text: 'Begin again, although the same content has been begun or stored before.' },
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
    summary: 'Show what storing would cost now; only sizes are sent.',
    arguments: [WHAT],
    options: { to: TO, as: AS, ...INDEX, currency: CURRENCY, mimetype: MIMETYPE, hidden: HIDDEN },
    examples: ['hookline estimate video.mp4 --to ipfs'],
    load: () => import('../commands/estimate.ts'),
  },
  {
    name: 'pay',
    summary: 'Show the payment of unpaid items, with a QR code, or pay them from the balance.',
    arguments: [{ name: 'id', many: true, text: 'Ids of items, all of the same target.' }],
    options: PAYING,
    examples: ['hookline pay 6b01a4cc8a40fc232d317ec6 --wait'],
    load: () => import('../commands/pay.ts'),
  },
  {
    name: 'status',
    summary: 'Show the state of an item, or the orders that were begun on this machine.',
    details: [
      'With an id the exit code is 0 if the item is stored, 8 while it is unpaid or being written, 5 if it has stopped.',
    ],
    arguments: [{ name: 'id', optional: true, text: 'Id of an item.' }],
    options: { wait: { text: 'Wait until it is stored or has stopped.' } },
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
      name: { value: 'words', text: 'Only those with words in the name that begin like this.' },
      order: { value: 'id', text: 'Only those of this order, including files of its folder; not with --name.' },
      hidden: { text: 'Only hidden items, which are left out else.' },
    },
    examples: ['hookline ls --status unpaid', 'hookline ls --json | head -1'],
    list: true,
    load: () => import('../commands/ls.ts'),
  },
  {
    name: 'change',
    summary: 'Change the name or the media type of an item.',
    details: [
      'The stored bytes stay as they are. Browsers that have the item already keep the earlier type until it is loaded again.',
    ],
    arguments: [{ name: 'id', text: 'Id of an item.' }],
    options: {
      name: { value: 'name', text: 'The new name.' },
      mimetype: { value: 'type', text: 'The media type that it is sent with from now on.' },
    },
    examples: ["hookline change 6b01a4cc8a40fc232d317ec6 --mimetype 'text/html; charset=utf-8'"],
    load: () => import('../commands/change.ts'),
  },
  {
    name: 'rm',
    summary: 'Delete items that are not paid.',
    arguments: [{ name: 'id', many: true, text: 'Ids of items.' }],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline rm 6b01a4cc8a40fc232d317ec6 --yes'],
    load: () => import('../commands/rm.ts'),
  },
  {
    name: 'hide',
    summary: 'Leave items out of your lists; they are served as before.',
    details: ['hookline ls --hidden lists them.'],
    arguments: [{ name: 'id', many: true, text: 'Ids of items.' }],
    options: {},
    examples: ['hookline hide 6b01a4cc8a40fc232d317ec6'],
    load: () => import('../commands/hide.ts'),
  },
  {
    name: 'unhide',
    summary: 'Have hidden items in your lists again.',
    arguments: [{ name: 'id', many: true, text: 'Ids of items.' }],
    options: {},
    examples: ['hookline unhide 6b01a4cc8a40fc232d317ec6'],
    load: () => import('../commands/unhide.ts'),
  },
  {
    name: 'take-down',
    summary: 'Take down stored items on IPFS.',
    details: [
      'They leave your lists, and their own addresses answer 410. It is refused while a site shows the item or a report of it is open. It cannot be undone. /ipfs/<cid>, and others who have a copy, may go on serving the bytes. What is written to a chain cannot be taken down.',
    ],
    arguments: [{ name: 'id', many: true, text: 'Ids of items.' }],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline take-down 6b01a4cc8a40fc232d317ec6 --yes'],
    load: () => import('../commands/take-down.ts'),
  },
]
