import * as fields from '../../../contract/fields.ts'
import * as folder from '../../../contract/folder.ts'
import * as item from '../../../contract/item.ts'
import { FOLDER_OPERATIONS } from '../../../contract/operations/folder.ts'
import { ITEM_OPERATIONS } from '../../../contract/operations/item.ts'
import * as payment from '../../../contract/payment.ts'
import { scopesOf } from '../auth/key-routes.ts'
import { ACCOUNT_PATHS } from './account-paths.ts'
import { CONSOLE_PATHS } from './console-paths.ts'
import { CREDENTIAL_PATHS } from './credential-paths.ts'
import { describeOperations, namedSchemas } from './describe-operations.ts'
import { DOMAIN_PATHS } from './domain-paths.ts'
import { EVENT_PATHS } from './event-paths.ts'
import { IPFS_PATHS } from './ipfs-paths.ts'
import { COMMON_HEADERS, withLimits } from './limits.ts'
import { withLinks } from './links.ts'
import { OPERATE_PATHS } from './operate-paths.ts'
import { type Operation, type Paths, refusal } from './operation.ts'
import { PAYMENT_PATHS } from './payment-paths.ts'
import { REPORT_PATHS } from './report-paths.ts'
import { RETRIEVAL_PATHS } from './retrieval-paths.ts'
import { SCHEMAS as OTHER_SCHEMAS } from './schemas/schemas.ts'
import { SERVICE_PATHS } from './service-paths.ts'
import { SITE_PATHS } from './site-paths.ts'
import { TARGET_PATHS } from './target-paths.ts'
import { TOKEN_PATHS } from './token-paths.ts'
import { UPLOAD_PATHS } from './upload-paths.ts'

const description = describeOperations(
  { ...FOLDER_OPERATIONS, ...ITEM_OPERATIONS },
  namedSchemas(fields, folder, item, payment),
)

/**
 * What takes an API key as well says so, for each scope that suffices (`KEY_ROUTES`); all else that needs a token
 * refuses keys.
 */
function withKeys(paths: Paths): Paths {
  const described = Object.entries(paths).map(([path, operations]) => {
    const route = path.replace(/\{(\w+)\}/g, ':$1')
    const entries = Object.entries(operations).map(([method, operation]) => [
      method,
      operation.security ? withScopes(operation, operation.security, scopesOf(method.toUpperCase(), route)) : operation,
    ])
    return [path, Object.fromEntries(entries)]
  })
  return Object.fromEntries(described)
}

function withScopes(
  operation: Operation,
  security: NonNullable<Operation['security']>,
  scopes: readonly string[] = [],
): Operation {
  const refused = refusal('The permission, or the scope of the API key, is missing.')
  return {
    ...operation,
    security: [...security, ...scopes.map((scope) => ({ apiKey: [scope] }))],
    responses: { '403': refused, ...operation.responses },
  }
}

/** Every path of the API host, in the order a newcomer needs them. */
const ALL_PATHS: Paths = withKeys({
  ...TOKEN_PATHS,
  ...ACCOUNT_PATHS,
  ...CREDENTIAL_PATHS,
  ...TARGET_PATHS,
  ...description.paths,
  ...UPLOAD_PATHS,
  ...PAYMENT_PATHS,
  ...EVENT_PATHS,
  ...RETRIEVAL_PATHS,
  ...IPFS_PATHS,
  ...SITE_PATHS,
  ...REPORT_PATHS,
  ...DOMAIN_PATHS,
  ...CONSOLE_PATHS,
  ...OPERATE_PATHS,
  ...SERVICE_PATHS,
})

/** Every schema that has a name. */
export const SCHEMAS = { ...OTHER_SCHEMAS, ...description.schemas }

export const PATHS: Paths = withLinks(withLimits(ALL_PATHS))

export const TAGS = [
  { name: 'Tokens', description: 'Log in, stay logged in, log out.' },
  { name: 'Accounts', description: 'Sign up, reset a password, see your balances.' },
  { name: 'Storing', description: 'Upload a file in chunks, or a folder of them, and merge.' },
  { name: 'Paying', description: 'Pay for merged items with a transfer or from your balance; then they are written.' },
  { name: 'Events', description: 'What happens to your items and payments, as a stream and by webhooks.' },
  {
    name: 'Reading from a chain',
    description: 'By transaction ids or object id. No token is needed; every byte is verified.',
  },
  { name: 'IPFS', description: 'A gateway that checks every block, and the import of blocks.' },
  { name: 'Sites', description: 'A name that shows one stored item, and another one after a switch.' },
  { name: 'Domains and denylist', description: 'Hosts of your own, and what is not served.' },
  { name: 'Console', description: 'The page that people store files with, and its session.' },
  { name: 'Operating', description: 'What an operator sees and does, and who did it.' },
  { name: 'This service', description: 'Health, descriptions, the page helper.' },
] as const

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
