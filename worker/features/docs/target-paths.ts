import { MAX_ESTIMATED_FILES } from '../payments/parse-estimate.ts'
import { common, json, jsonBody, object, type Paths, ref, refusal } from './operation.ts'

const tags = ['Storing'] as const

/** Where files can be stored, and for how much. */
export const TARGET_PATHS: Paths = {
  '/v0/targets': {
    get: {
      tags,
      operationId: 'listTargets',
      summary: 'Where files can be stored, and for whom they are too large',
      description: 'What is said of a target holds for some ten seconds.',
      responses: {
        '200': json('All four.', object({ targets: { type: 'array', items: ref('Target') } })),
        ...common(),
      },
    },
  },
  '/v0/estimate': {
    post: {
      tags,
      operationId: 'estimatePrice',
      summary: 'What storing files costs at most',
      description:
        'As if nothing could be compressed, at the fee rate of this moment: what a payment request asks at the same rate is never more. No token, and nothing is kept.',
      requestBody: jsonBody(
        object({
          blockchain: ref('StorageTarget'),
          files: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_ESTIMATED_FILES,
            items: object({ size: { type: 'integer', minimum: 0 }, mimetype: { type: 'string' } }, ['mimetype']),
          },
        }),
        { blockchain: 'Bitcoin', files: [{ size: 1200, mimetype: 'text/plain' }] },
      ),
      responses: {
        '200': json('The price at most.', ref('Estimate')),
        ...common('400', '413', '415'),
        '422': refusal('A file is larger than the target takes.'),
        '503': refusal('The node gives no fee at the moment.'),
      },
    },
  },
}
