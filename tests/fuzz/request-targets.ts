import { parseIdempotencyKey } from '../../worker/features/auth/idempotency/parse-idempotency-key.ts'
import { parseAssertion, parseAttestation } from '../../worker/features/auth/passkeys/parse-credential.ts'
import { checkWebhookUrl, resolvesToLoopback } from '../../worker/features/events/webhook-url.ts'
import { parseContentDigest } from '../../worker/features/items/content-digest.ts'
import { kindOf, newItemOf, parseMetadata } from '../../worker/features/items/upload/parse-upload.ts'
import { type FuzzTarget, require, textOf } from './target.ts'

function readUploadMetadata(input: Uint8Array): void {
  const metadata = parseMetadata(textOf(input))
  const written = [...metadata].map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`.trim()).join()
  const again = parseMetadata(written)
  require(JSON.stringify([...again]) ===
    JSON.stringify([...metadata]), 'what was read is read again when it is written')
  require(newItemOf(metadata, 1).size === 1, 'the size is not for metadata to say')
  kindOf(metadata)
}

function readWebhook(input: Uint8Array): void {
  const url = checkWebhookUrl(textOf(input), { loopback: false })
  const { protocol, hostname, username, password, hash } = new URL(url)
  require(protocol === 'https:', 'a webhook is told over https')
  require(!resolvesToLoopback(url), 'no webhook leads to this machine')
  require(hostname.includes('.') &&
    !/^[\d.]+$/.test(hostname) &&
    !hostname.includes(':'), 'its host is given by a name')
  require(`${username}${password}${hash}` === '', 'it holds no credentials and no fragment')
}

function readIdempotencyKey(input: Uint8Array): void {
  const key = parseIdempotencyKey(textOf(input))
  require(/^[!-~]{1,128}$/.test(key) && parseIdempotencyKey(key) === key, 'a key is printable, and its own spelling')
}

function readPasskey(input: Uint8Array): void {
  let value: unknown
  try {
    value = JSON.parse(textOf(input))
  } catch {
    return
  }
  for (const parse of [parseAssertion, parseAttestation]) {
    try {
      const { id, response } = parse(value, 'passkey')
      for (const part of [id, response.clientDataJSON]) require(/^[\w-]+$/.test(part), 'each part is base64url')
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('It does not hold')) throw error
    }
  }
}

function readDigest(input: Uint8Array): void {
  const digest = parseContentDigest(textOf(input))
  require(digest === undefined || Buffer.from(digest, 'base64').length === 32, 'a SHA-256 has 32 bytes')
}

/** Headers and bodies of requests that are not content. */
export const REQUEST_TARGETS: readonly FuzzTarget[] = [
  {
    name: 'upload-metadata',
    run: readUploadMetadata,
    words: ['filename ', 'filetype ', 'kind Y2Fy', ',', ' ', 'YQ==', 'w6Q=', '=', '__proto__ '],
  },
  {
    name: 'webhook',
    run: readWebhook,
    words: ['https://', 'http://', '@', ':443', '.', '[::1]', '127.0.0.1', '0x7f', 'localhost', '#', '%2e', '\\', '。'],
  },
  { name: 'idempotency-key', run: readIdempotencyKey, words: ['"', '\\', ' ', '\t', 'é', '\u007f'] },
  {
    name: 'passkey',
    run: readPasskey,
    words: [
      '"type":"public-key"',
      '"id":"',
      '"response":{',
      '"clientDataJSON":"',
      '"userHandle":null',
      '__proto__',
      '+/=',
    ],
  },
  { name: 'content-digest', run: readDigest, words: ['sha-256=:', ':', ',', 'sha-512=:', '=', ';a=1', ' '] },
]
