import * as account from '../../../contract/account.ts'
import * as event from '../../../contract/event.ts'
import * as fields from '../../../contract/fields.ts'
import * as folder from '../../../contract/folder.ts'
import * as item from '../../../contract/item.ts'
import * as operate from '../../../contract/operate.ts'
import { TAGS as TAG_TEXTS } from '../../../contract/operation.ts'
import { ACCOUNT_OPERATIONS } from '../../../contract/operations/account.ts'
import { CONSOLE_OPERATIONS } from '../../../contract/operations/console.ts'
import { CONTENT_OPERATIONS } from '../../../contract/operations/content.ts'
import { CREDENTIAL_OPERATIONS } from '../../../contract/operations/credential.ts'
import { DOMAIN_OPERATIONS } from '../../../contract/operations/domain.ts'
import { EVENT_OPERATIONS } from '../../../contract/operations/event.ts'
import { FOLDER_OPERATIONS } from '../../../contract/operations/folder.ts'
import { IPFS_OPERATIONS } from '../../../contract/operations/ipfs.ts'
import { ITEM_OPERATIONS } from '../../../contract/operations/item.ts'
import { OPERATE_OPERATIONS } from '../../../contract/operations/operate.ts'
import { ORDER_OPERATIONS } from '../../../contract/operations/order.ts'
import { PAYMENT_OPERATIONS } from '../../../contract/operations/payment.ts'
import { REPORT_OPERATIONS } from '../../../contract/operations/report.ts'
import { SERVICE_OPERATIONS } from '../../../contract/operations/service.ts'
import { SITE_OPERATIONS } from '../../../contract/operations/site.ts'
import { TARGET_OPERATIONS } from '../../../contract/operations/target.ts'
import { TOKEN_OPERATIONS } from '../../../contract/operations/token.ts'
import { UPLOAD_OPERATIONS } from '../../../contract/operations/upload.ts'
import * as order from '../../../contract/order.ts'
import * as payment from '../../../contract/payment.ts'
import * as prices from '../../../contract/prices.ts'
import * as proof from '../../../contract/proof.ts'
import * as report from '../../../contract/report.ts'
import * as service from '../../../contract/service.ts'
import * as site from '../../../contract/site.ts'
import * as upload from '../../../contract/upload.ts'
import { describeOperations, namedSchemas } from './describe-operations.ts'
import { COMMON_HEADERS, withLimits } from './limits.ts'
import { withLinks } from './links.ts'
import type { Paths } from './openapi.ts'

/** Every operation of the API host, in the order a newcomer needs them. */
const description = describeOperations(
  {
    ...TOKEN_OPERATIONS,
    ...ACCOUNT_OPERATIONS,
    ...CREDENTIAL_OPERATIONS,
    ...TARGET_OPERATIONS,
    ...FOLDER_OPERATIONS,
    ...ORDER_OPERATIONS,
    ...ITEM_OPERATIONS,
    ...UPLOAD_OPERATIONS,
    ...PAYMENT_OPERATIONS,
    ...EVENT_OPERATIONS,
    ...CONTENT_OPERATIONS,
    ...IPFS_OPERATIONS,
    ...SITE_OPERATIONS,
    ...REPORT_OPERATIONS,
    ...DOMAIN_OPERATIONS,
    ...CONSOLE_OPERATIONS,
    ...OPERATE_OPERATIONS,
    ...SERVICE_OPERATIONS,
  },
  namedSchemas(
    fields,
    account,
    event,
    folder,
    item,
    operate,
    order,
    payment,
    prices,
    proof,
    report,
    service,
    site,
    upload,
  ),
)

/** Every schema that has a name. */
export const SCHEMAS = description.schemas

export const TAGS = Object.entries(TAG_TEXTS).map(([name, description]) => ({ name, description }))

export const PATHS: Paths = withLinks(withLimits(description.paths), description.schemas)

/** What GET answers for content that keeps, HEAD answers without the body (RFC 9110, 9.3.2). */
function withHead(paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => {
      const { get } = operations
      if (!get?.responses['304'] || operations.head) return [path, operations]
      const responses = Object.entries(get.responses).map(([status, { content: _, links: __, ...answer }]) => [
        status,
        answer,
      ])
      const head = {
        ...get,
        operationId: `${get.operationId}Head`,
        summary: `${get.summary}: the headers alone`,
        responses: Object.fromEntries(responses),
      }
      return [path, { ...operations, head }]
    }),
  )
}

/** The whole description (OpenAPI 3.1) for the API at `baseUrl`. */
export function openapiDocument(baseUrl: URL) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Hookline',
      version: '0',
      license: { name: 'MIT', identifier: 'MIT' },
      summary: 'Files and websites on Bitcoin-family chains and IPFS, every byte verified.',
      description:
        'Every refusal is JSON with `message`, a sentence that a person can act on, and `code`, stable for programs. Checked in this order: method, token, permission, size, media type, JSON, fields, ownership, state. Times are Unix seconds. What counts requests says so by `RateLimit-Policy`, and by `RateLimit` how many are left (draft-ietf-httpapi-ratelimit-headers); past that the answer is 429.',
    },
    servers: [{ url: baseUrl.origin }],
    tags: TAGS,
    security: [],
    paths: withHead(PATHS),
    components: {
      headers: COMMON_HEADERS,
      schemas: SCHEMAS,
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'From POST or PUT /v0/token. What is listed with it are the permissions it must carry.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'From POST /v0/user/keys. What is listed with it is the scope that it must have.',
        },
      },
    },
  }
}
