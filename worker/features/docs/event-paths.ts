import { EVENT_TYPES, WEBHOOK_TYPES } from '../../platform/records/event-types.ts'
import {
  common,
  empty,
  inHeader,
  inPath,
  json,
  jsonBody,
  object,
  type Paths,
  ref,
  refusal,
  type Schema,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { WEBHOOK } from './schemas/account-schemas.ts'

const tags = ['Events'] as const

const TYPES = Object.entries(EVENT_TYPES)
  .map(([type, what]) => `\`${type}\`: ${what}`)
  .join(' ')

const WEBHOOK_URL: Schema = { type: 'string', format: 'uri', maxLength: 2000 }
const WEBHOOK_TYPE_LIST: Schema = { type: 'array', minItems: 1, items: { type: 'string', enum: WEBHOOK_TYPES } }

export const EVENT_PATHS: Paths = {
  '/v0/events': {
    get: {
      tags,
      operationId: 'streamEvents',
      summary: 'What happens to your items and payments, as it happens',
      description: `Server-Sent Events (WHATWG HTML, 9.2), read by \`fetch\` with the token. Each has \`id\`, \`event\` and \`data\`, the JSON of \`{type, timestamp, data}\`. ${TYPES} Beside them come snapshots without an \`id\`: \`item\` with an item, \`request\` with a payment, each time that one changes. \`reset\` says that events were missed. Something is sent at least every 10 seconds; the stream ends after five minutes, or with the token. An account may have three.`,
      security: token(),
      parameters: [inHeader('Last-Event-ID', 'Goes on behind this event; events are kept for 7 days.')],
      responses: {
        '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
        ...common('400', '401'),
      },
    },
  },
  '/v0/webhook': {
    get: {
      tags,
      operationId: 'listWebhooks',
      summary: 'List your webhooks',
      security: token(),
      responses: {
        '200': json('All of them.', object({ webhooks: { type: 'array', items: ref('Webhook') } })),
        ...common('401'),
      },
    },
    post: {
      tags,
      operationId: 'addWebhook',
      summary: 'Have an address of yours told of events',
      description:
        'Messages are signed by the Standard Webhooks specification and are the text of the events of `GET /v0/events`; any 2xx within 10 seconds takes one. One that is not taken is sent again with the same `webhook-id` after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, so each comes at least once, in no promised order. A webhook that took nothing for three days, or answers 410, is turned off. Redirects are not followed.',
      security: token(),
      requestBody: jsonBody(object({ url: WEBHOOK_URL, types: WEBHOOK_TYPE_LIST }, ['types']), {
        url: 'https://shop.example.com/hookline',
        types: ['item.stored', 'item.stopped'],
      }),
      responses: {
        '201': json(
          'The webhook, and this once its secret.',
          object({ ...WEBHOOK, secret: { type: 'string', description: '`whsec_` and base64. Not shown again.' } }),
        ),
        '409': refusal('The account has five (`quota_exceeded`).'),
        ...common(...TOKEN_AND_BODY),
      },
    },
  },
  '/v0/webhook/{id}': {
    delete: {
      tags,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      security: token(),
      parameters: [inPath('id', 'Of the webhook.')],
      responses: { '204': empty('It is gone, with what it was still to be told.'), ...common('401', '404') },
    },
  },
}
