import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { BackupError } from './backup-place.ts'

/** How a service with the API of S3 is reached. */
export interface S3Access {
  /** Of the service, without a bucket; empty: Amazon's of the region. */
  endpoint: string
  region: string
  keyId: string
  secret: string
}

/** How often a request is sent at most, and how long (ms) is waited before the second time; twice as long each further time. */
const TRIES = 6
const FIRST_WAIT_MS = 250
/** For one answer with its body, in milliseconds. */
const TIMEOUT_MS = 300_000

export interface S3Answer {
  status: number
  headers: Headers
  bytes: Buffer
}

/** Sends signed requests about one bucket (signature version 4, path style). */
export class S3Client {
  readonly #client: AwsClient
  readonly #base: string

  constructor({ endpoint, region, keyId, secret }: S3Access, bucket: string) {
    const credentials = { accessKeyId: keyId, secretAccessKey: secret }
    this.#client = new AwsClient({ ...credentials, service: 's3', region, retries: 0 })
    this.#base = `${endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint.replace(/\/+$/, '')}/${bucket}`
  }

  /**
   * The answer, where it is a success or one of `also`. What may pass, such as a 503 or a lost connection, is tried again.
   * @throws {BackupError}
   */
  async send(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    key: string,
    more: { query?: string; body?: Uint8Array<ArrayBuffer> | string; range?: string; also?: number[] } = {},
  ): Promise<S3Answer> {
    const { query = '', body, range, also = [] } = more
    const url = `${this.#base}/${key.split('/').map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`
    const headers = {
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
      ...(range === undefined ? {} : { Range: range }),
    }
    for (let tried = 1; ; tried++) {
      const answer = await this.#try(url, { method, headers, ...(body === undefined ? {} : { body }) })
      const isOver = tried === TRIES
      if (!(answer instanceof Error)) {
        if ((answer.status >= 200 && answer.status < 300) || also.includes(answer.status)) return answer
        if (isOver || (answer.status < 500 && answer.status !== 429)) throw refusal(method, key, answer)
      } else if (isOver) {
        throw new BackupError(`${new URL(url).host} cannot be reached: ${reasonOf(answer)}`, { cause: answer })
      }
      await sleep(FIRST_WAIT_MS * 2 ** (tried - 1))
    }
  }

  async #try(url: string, init: RequestInit): Promise<S3Answer | Error> {
    try {
      const answer = await this.#client.fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

function refusal(method: string, key: string, { status, bytes }: S3Answer): BackupError {
  const said = [textOf(bytes, 'Code'), textOf(bytes, 'Message')].filter((text) => text !== undefined).join(': ')
  return new BackupError(`S3 answered ${status} to ${method} ${key}${said === '' ? '' : ` (${said})`}.`)
}

/** Where a fetch failed its reason is in what caused it. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}

/** The text of the first element of that name in an XML document, without markup. */
export function textOf(xml: Uint8Array, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]{0,2000})</${name}>`).exec(Buffer.from(xml).toString()) ?? []
  return text?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
