import { CreatedWebhook, NewWebhook, Webhook } from '../event.ts'
import { EVENT_TYPES } from '../event-types.ts'
import { idOf } from '../fields.ts'
import { inWords, LIFETIMES } from '../lifetimes.ts'
import { MAX_STREAMS, MAX_WEBHOOKS } from '../limits.ts'
import { content, json, operations } from '../operation.ts'
import { flag, list, nullable, object, optional, text } from '../schema.ts'

const TYPES = Object.entries(EVENT_TYPES)
  .map(([type, what]) => `\`${type}\`: ${what}`)
  .join(' ')

/** What happens, as a stream and by webhooks. */
export const EVENT_OPERATIONS = operations('Events', {
  'GET /v0/events': {
    id: 'streamEvents',
    summary: 'What happens to your items and payments, as it happens',
    description: `Server-Sent Events (WHATWG HTML, 9.2), read by \`fetch\` with the token. Each has \`id\`, \`event\` and \`data\`, the JSON of \`{type, timestamp, data}\`. ${TYPES} In addition there are snapshots without an \`id\`: \`item\` with an item, \`request\` with a payment, each time that one changes. \`reset\` says that events were missed. Something is sent at least every ${inWords(LIFETIMES.streamSilence)}; the stream ends after ${inWords(LIFETIMES.stream)}, or with the token. An account may have ${MAX_STREAMS}.`,
    token: true,
    keys: ['read', 'store', 'pay'],
    headers: {
      'Last-Event-ID': optional(
        text(`Continues after this event; events are stored for ${inWords(LIFETIMES.events)}.`),
      ),
    },
    answers: {
      200: { ...content('The stream.', 'text/event-stream'), schema: text() },
    },
    refuses: [400],
  },
  'GET /v0/webhook': {
    id: 'listWebhooks',
    summary: 'List your webhooks',
    token: true,
    keys: ['pay'],
    answers: { 200: json('All of them.', object({ webhooks: list(Webhook) })) },
  },
  'POST /v0/webhook': {
    id: 'addWebhook',
    summary: 'Register a webhook',
    description:
      'A mail to the account says that it was added. It ends with the API key that it was made with, and a reset of the password by mail pauses it. Messages are signed by the Standard Webhooks specification and are the text of the events of `GET /v0/events`; any 2xx within ' +
      `${inWords(LIFETIMES.webhookAnswer)} accepts a message. ` +
      'A message that is not accepted is sent again with the same `webhook-id` after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, so each is delivered at least once, in no guaranteed order. ' +
      `A webhook that accepted nothing for ${inWords(LIFETIMES.webhookOff)}, or answers 410, is turned off. ` +
      'Redirects are not followed.',
    token: true,
    keys: ['pay'],
    body: NewWebhook,
    example: { url: 'https://shop.example.com/hookline', types: ['item.stored', 'item.stopped'] },
    answers: {
      201: json('The webhook, and this once its secret.', CreatedWebhook),
      409: `The account has ${MAX_WEBHOOKS} (\`quota_exceeded\`).`,
    },
  },
  'POST /v0/webhook/{id}/test': {
    id: 'testWebhook',
    summary: 'Send a webhook a message of the type `webhook.test`, once',
    token: true,
    keys: ['pay'],
    path: { id: idOf('webhook', text()) },
    answers: {
      200: json(
        'The result of the delivery.',
        object({
          taken: flag(`Whether it was accepted: by a 2xx within ${inWords(LIFETIMES.webhookAnswer)}.`),
          problem: nullable(text(), 'Why it was not accepted.'),
        }),
      ),
      409: 'It is paused or turned off (`webhook_off`).',
    },
    refuses: [429],
  },
  'POST /v0/webhook/{id}/resume': {
    id: 'resumeWebhook',
    summary: 'Resume a webhook that a password reset paused',
    description:
      'It receives events from now on, and does not end with an API key any more. One that is not paused remains unchanged.',
    token: true,
    path: { id: idOf('webhook', text()) },
    answers: { 204: 'It is resumed.' },
  },
  'DELETE /v0/webhook/{id}': {
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    token: true,
    keys: ['pay'],
    path: { id: idOf('webhook', text()) },
    answers: { 204: 'It is deleted, with its messages that were not delivered yet.' },
  },
})
