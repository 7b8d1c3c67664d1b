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
    name: 'site rm',
    summary: 'Delete a site with its versions and domains; stored items stay.',
    arguments: [SITE],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline site rm blog --yes'],
    load: () => import('../commands/site-rm.ts'),
  },
]
