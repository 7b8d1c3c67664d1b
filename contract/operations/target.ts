import { inWords, LIFETIMES } from '../lifetimes.ts'
import { json, operations } from '../operation.ts'
import { Estimate, NewEstimate, RefusedEstimate, Target } from '../payment.ts'
import { Prices } from '../prices.ts'
import { list, object } from '../schema.ts'

/** Where files can be stored, and for how much. */
export const TARGET_OPERATIONS = operations('Storing', {
  'GET /v0/targets': {
    id: 'listTargets',
    summary: 'Where files can be stored, and for whom they are too large',
    description: `Information about a target is cached for about ${inWords(LIFETIMES.target)}.`,
    answers: { 200: json('All four.', object({ targets: list(Target) })) },
  },
  'GET /v0/prices': {
    id: 'readPrices',
    summary: 'What coins are worth in other currencies',
    description: `As the operator reads it elsewhere every ${inWords(LIFETIMES.prices)}; none where it is older than ${inWords(LIFETIMES.priceAge)}, or the operator names no source. No token is needed.`,
    answers: { 200: json('By blockchain and currency.', Prices) },
  },
  'POST /v0/estimate': {
    id: 'estimatePrice',
    summary: 'What storing files costs at most',
    description:
      'As if nothing could be compressed, at the fee rate of this moment: the price of a payment request at the same rate is never higher. No token is needed, and nothing is stored.',
    body: NewEstimate,
    example: { blockchain: 'Bitcoin', files: [{ size: 1200, mimetype: 'text/plain' }] },
    answers: {
      200: json('The price at most.', Estimate),
      422: json(
        'A file, or the directory of all, would not be accepted there if it could not be compressed. If it is already compressed, send that size.',
        RefusedEstimate,
      ),
      503: 'The node returns no fee rate at the moment.',
    },
  },
})
