import { EVENT_TYPES } from '../storage/events/event-types.ts'
import { common, inHeader, type Paths, token } from './operation.ts'

const tags = ['Events'] as const

const TYPES = Object.entries(EVENT_TYPES)
  .map(([type, what]) => `\`${type}\`: ${what}`)
  .join(' ')

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
}
