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
      'Which site it is, is said by --site, by the domain or by .hookline.json in the folder ({"api": "…", "site": "…"}, never stored itself); at a terminal it is asked, and the answer kept in that file.',
      'On ipfs it sends digests first, then only the files that none of your stored items holds. What is stored is read back and held to the bytes here before it is shown. Ends with 0 only after the new version was fetched through the host of the site.',
    ],
    arguments: [{ name: 'folder', file: true, text: 'A folder with an index.html.' }],
    options: {
      domain: { value: 'host', text: 'A host of yours that shows the site; DNS has to point to it.' },
      site: {
        value: 'id|name',
        text: 'The site to deploy to; a name that none has makes a new one. Without it the one of the domain, or that of .hookline.json in the folder.',
      },
      to: { ...TO, text: `${TO.text} Without it ipfs.` },
      hidden: HIDDEN,
      ...PAYING,
      new: { text: 'Deploy again, though the same content was deployed before.' },
      yes: { text: 'Show the version though its _headers or _redirects make the site answer with an error.' },
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
    summary: 'List the versions of a site, the newest first; a * marks the one that is shown.',
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
      { name: 'version', optional: true, text: 'Its number; without it the one that was shown before.' },
    ],
    options: { yes: { text: 'Show it though its _headers or _redirects make the site answer with an error.' } },
    examples: ['hookline site rollback blog', 'hookline site rollback blog 3'],
    load: () => import('../commands/site-rollback.ts'),
  },
  {
    name: 'site rm',
    summary: 'Delete a site with its versions and domains; what it showed stays stored.',
    arguments: [SITE],
    options: { yes: { short: 'y', text: 'Do not ask.' } },
    examples: ['hookline site rm blog --yes'],
    load: () => import('../commands/site-rm.ts'),
  },
]
