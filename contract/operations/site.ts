import { FROM_CURSOR, idOf } from '../fields.ts'
import { SiteProblems } from '../item.ts'
import { json, operations, page } from '../operation.ts'
import {
  CurrentVersion,
  NewSite,
  NewSiteVersion,
  Site,
  SiteChange,
  SiteFiles,
  SiteQuery,
  SiteVersion,
} from '../site.ts'

/** Sites and their versions. */
export const SITE_OPERATIONS = operations('Sites', {
  'GET /v0/site': {
    id: 'listSites',
    summary: 'List your sites',
    token: 'store',
    query: SiteQuery.entries,
    answers: { 200: page('At most 50, newest first.', 'sites', Site) },
  },
  'POST /v0/site': {
    id: 'createSite',
    summary: 'Make a site',
    description: 'With an item, that is its first version and current at once.',
    token: 'store',
    idempotent: true,
    body: NewSite,
    example: { name: 'The almanac' },
    answers: {
      201: json('It is made.', Site),
      409: 'The item is not stored, it would make the site answer 500, or the account has as many sites as it may have.',
    },
    refuses: [404],
  },
  'POST /v0/site/problems': {
    id: 'checkSiteFiles',
    summary: 'Check _headers and _redirects before they are uploaded',
    description: 'As `GET /v0/item/{id}/problems` does for a merged directory. Nothing is stored.',
    token: 'store',
    body: SiteFiles,
    example: { redirects: '/old /new 301' },
    answers: { 200: json('What is wrong.', SiteProblems) },
  },
  'GET /v0/site/{id}': {
    id: 'readSite',
    summary: 'Read a site',
    token: 'store',
    path: { id: idOf('site') },
    answers: { 200: json('The site.', Site) },
  },
  'PATCH /v0/site/{id}': {
    id: 'renameSite',
    summary: 'Rename a site',
    description: 'A label: its host and its content do not change.',
    token: 'store',
    path: { id: idOf('site') },
    body: SiteChange,
    example: { name: 'The almanac' },
    answers: { 200: json('The site.', Site) },
  },
  'DELETE /v0/site/{id}': {
    id: 'deleteSite',
    summary: 'Delete a site',
    description: 'Its host shows nothing a minute later. The items that were its versions stay.',
    token: 'store',
    path: { id: idOf('site') },
    answers: { 204: 'It is deleted.' },
  },
  'GET /v0/site/{id}/versions': {
    id: 'listSiteVersions',
    summary: 'List the versions of a site',
    token: 'store',
    path: { id: idOf('site') },
    query: FROM_CURSOR,
    answers: { 200: page('At most 50, newest first.', 'versions', SiteVersion) },
  },
  'POST /v0/site/{id}/versions': {
    id: 'addSiteVersion',
    summary: 'Add a stored item to the versions of a site',
    description: 'The current version remains current. An item that is a version already remains that version: 200.',
    token: 'store',
    path: { id: idOf('site') },
    idempotent: true,
    body: NewSiteVersion,
    example: { item: '6b01a4cc8a40fc232d317ec6', note: 'March' },
    answers: {
      200: json('It was a version already.', SiteVersion),
      201: json('It is added.', SiteVersion),
      409: 'The item is not stored, or it is a file of a directory.',
    },
  },
  'PUT /v0/site/{id}/current': {
    id: 'switchSiteVersion',
    summary: 'Make a version current',
    description: 'Any version, newer or older. Visitors get it everywhere within a minute.',
    token: 'store',
    path: { id: idOf('site') },
    body: CurrentVersion,
    example: { version: 2 },
    answers: {
      200: json('It is current.', Site),
      409: 'It would make the site answer 500, and `confirm` is not true; `problems` lists the faulty lines.',
    },
    refuses: [404, 502, 504],
  },
})
