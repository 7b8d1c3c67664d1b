import {
  common,
  inQuery,
  json,
  jsonBody,
  type Method,
  type Operation,
  object,
  ref,
  type Schema,
  token,
} from '../../worker/openapi/operation.ts'
import { list } from './needed-schemas.ts'

/** An operation that is not described yet, and so has no name. */
type Needed = Omit<Operation, 'operationId'>

const TEXT: Schema = { type: 'string' }
const cursor = inQuery('cursor', 'From an earlier page.')
const CURSOR: Schema = { type: 'string' }
const ALL = ['400', '401', '403', '404', '413', '415'] as const

const page = (name: string, schema: string, permission: string, ...more: ReturnType<typeof inQuery>[]): Needed => ({
  tags: ['Console'],
  summary: `List ${name}`,
  security: token(permission),
  parameters: [...more, cursor],
  responses: {
    '200': json('A page.', object({ [name]: list(ref(schema)), cursor: CURSOR }, ['cursor'])),
    ...common(...ALL),
  },
})

const read = (schema: Schema, ...parameters: ReturnType<typeof inQuery>[]): Needed => ({
  tags: ['Console'],
  summary: 'Read it',
  parameters,
  responses: { '200': json('It.', schema), ...common(...ALL) },
})

const act = (
  status: '200' | '201' | '202',
  schema: Schema,
  body?: Schema,
  ...parameters: ReturnType<typeof inQuery>[]
): Needed => ({
  tags: ['Console'],
  summary: 'Do it',
  parameters,
  ...(body && { requestBody: jsonBody(body) }),
  responses: {
    [status]: json('Done.', schema),
    ...common(...ALL),
    '409': json('Its state does not allow it.', ref('Problem')),
  },
})

/**
 * What the console calls and the API does not describe yet. An operation goes from here to the description when it
 * is built; what the description has wins.
 */
export const NEEDED_PATHS: Record<string, Partial<Record<Method, Needed>>> = {
  '/v0/withdrawal': {
    get: page('withdrawals', 'Withdrawal', 'pay'),
    post: act(
      '201',
      ref('Withdrawal'),
      object({ blockchain: ref('Blockchain'), address: TEXT, amount: TEXT, maxFee: TEXT }, ['maxFee']),
    ),
  },
  '/v0/withdrawal/fee': {
    get: read(
      object({
        fee: { type: 'number' },
        most: { type: 'number', description: 'Most that can be sent, the fee left out.' },
        readAt: { type: 'integer' },
      }),
      inQuery('blockchain', 'The chain.'),
    ),
  },
}
