import {
  common,
  empty,
  FROM_CURSOR,
  idempotent,
  inPath,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  ref,
  refusal,
  type Schema,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Domains and denylist'] as const
const CONFIRM: Schema = {
  type: 'boolean',
  description: 'Show it though its `_headers` or `_redirects` make the site answer 500.',
}
const SITE_ID = inPath('id', 'Of the site.', OBJECT_ID)

export const SITE_PATHS: Paths = {
  '/v0/site': {
    get: {
      tags: ['Sites'],
      operationId: 'listSites',
      summary: 'List your sites',
      security: token('store'),
      parameters: [FROM_CURSOR],
      responses: {
        '200': page('At most 50, newest first.', 'sites', 'Site'),
        ...common('400', '401', '403'),
      },
    },
    post: idempotent({
      tags: ['Sites'],
      operationId: 'createSite',
      summary: 'Make a site',
      description: 'With an item, that is its first version and current at once.',
      security: token('store'),
      requestBody: jsonBody(
        object({ name: { type: 'string', maxLength: 255 }, item: OBJECT_ID, confirm: CONFIRM }, ['item', 'confirm']),
        {
          name: 'The almanac',
        },
      ),
      responses: {
        '201': json('It is made.', ref('Site')),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal(
          'The item is not stored, it would make the site answer 500, or the account has as many sites as it may have.',
        ),
      },
    }),
  },
  '/v0/site/{id}': {
    get: {
      tags: ['Sites'],
      operationId: 'readSite',
      summary: 'Read a site',
      security: token('store'),
      parameters: [SITE_ID],
      responses: { '200': json('The site.', ref('Site')), ...common('401', '403', '404') },
    },
    delete: {
      tags: ['Sites'],
      operationId: 'deleteSite',
      summary: 'Delete a site',
      description: 'Its host shows nothing a minute later. The items that were its versions stay.',
      security: token('store'),
      parameters: [SITE_ID],
      responses: { '204': empty('It is deleted.'), ...common('401', '403', '404') },
    },
  },
  '/v0/site/{id}/versions': {
    get: {
      tags: ['Sites'],
      operationId: 'listSiteVersions',
      summary: 'List the versions of a site',
      security: token('store'),
      parameters: [SITE_ID, FROM_CURSOR],
      responses: {
        '200': page('At most 50, newest first.', 'versions', 'SiteVersion'),
        ...common('400', '401', '403', '404'),
      },
    },
    post: idempotent({
      tags: ['Sites'],
      operationId: 'addSiteVersion',
      summary: 'Add a stored item to the versions of a site',
      description: 'What is current stays so. An item that is a version already is that version still: 200.',
      security: token('store'),
      parameters: [SITE_ID],
      requestBody: jsonBody(
        object(
          { item: OBJECT_ID, note: { type: ['string', 'null'], maxLength: 500, description: 'What is new in it.' } },
          ['note'],
        ),
        { item: '6b01a4cc8a40fc232d317ec6', note: 'March' },
      ),
      responses: {
        '200': json('It was a version already.', ref('SiteVersion')),
        '201': json('It is added.', ref('SiteVersion')),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal('The item is not stored, or it is a file of a directory.'),
      },
    }),
  },
  '/v0/site/{id}/current': {
    put: {
      tags: ['Sites'],
      operationId: 'switchSiteVersion',
      summary: 'Make a version current',
      description: 'Any version, newer or older. Visitors get it everywhere within a minute.',
      security: token('store'),
      parameters: [SITE_ID],
      requestBody: jsonBody(
        object({ version: { type: 'integer', minimum: 1, description: 'Its number.' }, confirm: CONFIRM }, ['confirm']),
        {
          version: 2,
        },
      ),
      responses: {
        '200': json('It is current.', ref('Site')),
        ...common(...TOKEN_AND_BODY, '404', '502', '504'),
        '409': refusal(
          'It would make the site answer 500, and `confirm` is not true; `problems` lists the faulty lines.',
        ),
      },
    },
  },
  '/v0/denied': {
    get: {
      tags,
      operationId: 'listDenied',
      summary: 'List what is not served',
      security: token('moderate'),
      parameters: [FROM_CURSOR],
      responses: {
        '200': page('At most 100, the latest change first.', 'denied', 'DeniedEntry'),
        ...common('400', '401', '403'),
      },
    },
    put: {
      tags,
      operationId: 'deny',
      summary: 'Stop serving something',
      description: 'In force within a minute everywhere.',
      security: token('moderate'),
      requestBody: jsonBody(ref('Denied'), {
        kind: 'cid',
        value: 'bafkqaaa',
        reason: 'order 12/2026',
      }),
      responses: { '204': empty('It is on the list.'), ...common(...TOKEN_AND_BODY) },
    },
    delete: {
      tags,
      operationId: 'liftDenial',
      summary: 'Serve something again',
      security: token('moderate'),
      requestBody: jsonBody(
        object({ kind: { type: 'string' }, value: { type: 'string' }, reason: { type: 'string' } }, ['reason']),
      ),
      responses: { '204': empty('It is not on the list.'), ...common(...TOKEN_AND_BODY) },
    },
  },
}
