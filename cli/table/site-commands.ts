import { inWords, LIFETIMES } from '../../contract/lifetimes.ts'
import { MAX_ADDRESSES } from '../../contract/limits.ts'
import type { Command } from '../run/context.ts'
import type { ArgumentSpec } from './command-spec.ts'
import { HIDDEN, PAYING, TO } from './options.ts'

const SITE: ArgumentSpec = { name: 'site', text: 'Id of the site, or its name.' }

/** Commands for websites. */
export const SITE_COMMANDS: readonly Command[] = [
  {
    name: 'site deploy',
    summary: 'Store a folder as a website and show it on its own host.',
    details: [
      'The site is the one in --site, the one of the domain, or the one in .hookline.json in the folder ({"api": "…", "site": "…"}, never stored itself). Otherwise a terminal asks for it and stores the answer in that file.',
      'On ipfs it sends digests first, then only the files that none of your stored items contains. What is stored is read back and compared with what was sent before it is shown. The exit code is 0 only after the host of the site has sent the new version.',
      'Where it ends before the payment, the service itself shows the version once it is paid and stored, unless the site would answer with an error or another version is shown by then.',
    ],
    arguments: [{ name: 'folder', file: true, text: 'A folder with an index.html, or another first page (see put).' }],
    options: {
      domain: { value: 'host', text: 'Your own domain for the site; its DNS must point to the service.' },
      site: {
        value: 'id|name',
        text: 'The site to deploy to; a new name creates a site. Default: the site of the domain, or the one in .hookline.json in the folder.',
      },
      to: { ...TO, text: `${TO.text} Default: ipfs.` },
      hidden: HIDDEN,
      ...PAYING,
      new: { text: 'Deploy again, although the same content was deployed before.' },
      'try-first': {
        text: 'Only add the version, which has an address of its own. The site shows it after hookline site rollback with its number.',
      },
      yes: { text: 'Show the version although its _headers or _redirects make the site answer with an error.' },
    },
    examples: ['hookline site deploy dist --site blog --domain www.example.com --pay-from-balance --max-fee 0.01'],
    load: () => import('../commands/site-deploy.ts'),
  },
  {
    name: 'site ls',
    summary: 'List your sites.',
    arguments: [],
    options: {},
    examples: ['hookline site ls --json'],
    list: true,
    load: () => import('../commands/site-ls.ts'),
  },
  {
    name: 'site versions',
    summary: 'List the versions of a site, newest first; a * marks the current one.',
    arguments: [SITE],
    options: {},
    examples: ['hookline site versions blog'],
    list: true,
    load: () => import('../commands/site-versions.ts'),
  },
  {
    name: 'site rollback',
    summary: 'Show an earlier version of a site again; nothing is sent or paid.',
    arguments: [
      SITE,
      { name: 'version', optional: true, text: 'Its number. Default: the one before the current one.' },
    ],
    options: { yes: { text: 'Show it although its _headers or _redirects make the site answer with an error.' } },
    examples: ['hookline site rollback blog', 'hookline site rollback blog 3'],
    load: () => import('../commands/site-rollback.ts'),
  },
  {
    name: 'site address',
    summary: 'Give a site a readable address, or show the one that it has.',
    details: [
      `An address is 3 to 40 letters, digits and single hyphens, first a letter, below the host of the service that serves sites. A version of the site must be paid for. It is never given to another account, and an account may have ${MAX_ADDRESSES}, those that it had before among them. The one that it replaces leads to it for ${inWords(LIFETIMES.movedAddress)}.`,
    ],
    arguments: [SITE, { name: 'address', optional: true, text: 'The new address. Default: show the present one.' }],
    options: { end: { text: 'End the present address; the site stays on its own host.' } },
    examples: ['hookline site address blog my-notes', 'hookline site address blog --end'],
    load: () => import('../commands/site-address.ts'),
  },
  {
    name: 'site withdraw-address',
    summary: 'For moderators: take the readable address of any site away, for ever.',
    arguments: [{ name: 'address', text: 'The address, without the host.' }],
    options: {
      reason: { value: 'text', text: 'Why; the audit log keeps it.' },
      yes: { short: 'y', text: 'Do not ask.' },
    },
    examples: ['hookline site withdraw-address my-bank --reason "pretends to be a bank" --yes'],
    load: () => import('../commands/site-withdraw-address.ts'),
  },
  {
    name: 'site rm',
    summary: 'Delete a site with its versions and domains; stored items stay.',
    arguments: [SITE],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline site rm blog --yes'],
    load: () => import('../commands/site-rm.ts'),
  },
]
