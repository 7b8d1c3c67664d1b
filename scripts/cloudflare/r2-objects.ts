import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import type { Account } from './account.ts'
import { ApiError } from './ask-api.ts'

/** An object of a bucket, as a list has it. */
export interface ListedObject {
  key: string
  /** Without quotes: MD5 of what was put at once. */
  etag: string
}

/** A bucket of R2 by its S3 API. @throws {ApiError} */
export interface ObjectStore {
  /** The objects below a prefix, or with `delimiter` those that have no further slash, and the prefixes of the others. */
  list(prefix: string, delimiter?: '/'): AsyncGenerator<ListedObject | { prefix: string }>
  /** `undefined` where it is not there any more. */
  get(key: string): Promise<Response | undefined>
  put(key: string, body: Blob, headers: Record<string, string>): Promise<void>
}

/**
 * The bucket of an account, with the token of its API: its S3 key is the token's id, and the secret is its SHA-256
 * (https://developers.cloudflare.com/r2/api/tokens/).
 * @throws {ApiError}
 */
export async function openBucket({ id, token, ask }: Account, bucket: string): Promise<ObjectStore> {
  const verified = await ask('GET', '/user/tokens/verify').catch(() => ask('GET', `/accounts/${id}/tokens/verify`))
  if (!isRecord(verified)) throw new ApiError('Cloudflare does not say which token this is.', 0)
  const client = new AwsClient({
    accessKeyId: String(verified.id),
    secretAccessKey: createHash('sha256').update(token).digest('hex'),
    service: 's3',
    region: 'auto',
  })
  const base = `${process.env.AWS_ENDPOINT_URL_S3 || `https://${id}.r2.cloudflarestorage.com`}/${bucket}`
  const urlOf = (key: string) => `${base}/${key.split('/').map(encodeURIComponent).join('/')}`
  const ask3 = async (what: string, url: string, init: RequestInit = {}) => {
    const response = await client.fetch(url, init).catch((cause: unknown) => {
      throw new ApiError(`R2 cannot be reached from this machine.`, 0, { cause })
    })
    if (response.ok || response.status === 404) return response
    throw new ApiError(
      `R2 answered ${response.status} to ${what}: ${tagOf(await response.text(), 'Message') ?? ''}`,
      response.status,
    )
  }
  return {
    list: async function* (prefix, delimiter) {
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix })
        if (delimiter) query.set('delimiter', delimiter)
        if (token !== '') query.set('continuation-token', token)
        const response = await ask3('a list', `${base}?${query}`)
        if (response.status === 404) throw new ApiError(`There is no R2 bucket "${bucket}" in this account.`, 404)
        const text = await response.text()
        for (const [, contents = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          yield { key: keyIn(contents, 'Key'), etag: (tagOf(contents, 'ETag') ?? '').replaceAll('"', '') }
        }
        for (const [, common = ''] of text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/gs)) {
          yield { prefix: keyIn(common, 'Prefix') }
        }
        token = tagOf(text, 'NextContinuationToken')
      }
    },
    get: async (key) => {
      const response = await ask3('a read', urlOf(key))
      return response.ok ? response : undefined
    },
    put: async (key, body, headers) => {
      const response = await ask3('a write', urlOf(key), { method: 'PUT', body, headers })
      if (!response.ok) throw new ApiError(`There is no R2 bucket "${bucket}" in this account.`, 404)
      await response.body?.cancel()
    },
  }
}

function keyIn(xml: string, name: string): string {
  return decodeURIComponent((tagOf(xml, name) ?? '').replaceAll('+', ' '))
}

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }

function tagOf(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text?.replaceAll(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity).replaceAll('&#34;', '"')
}
