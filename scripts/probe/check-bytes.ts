import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import type { Answer, Request } from './ask.ts'
import { type SampleName, SHORT_CID, SHORT_PAGE, sampleOf } from './samples.ts'
import { type ChainContent, jsonOf, type Target } from './target.ts'

/** What in a changed page tells which feature of Cloudflare has changed it. */
const FEATURES: readonly (readonly [trace: RegExp, feature: string])[] = [
  [/email-protection|email-decode/, 'Email Address Obfuscation'],
  [/rocket-loader/, 'Rocket Loader'],
  [/challenge-platform/, 'JavaScript Detections or Bot Fight Mode'],
  [/beacon\.min\.js|cloudflareinsights/, 'Web Analytics'],
  [/\/cdn-cgi\/zaraz/, 'Zaraz'],
  [/https:\/\/b\.co/, 'Automatic HTTPS Rewrites'],
]

/** A problem of an answer that should be `bytes`; `undefined` where it is. */
function difference(answer: Answer, bytes: Buffer, mediaType?: string): string | undefined {
  if (answer.status !== 200) return `answers ${answer.status}`
  const { 'content-type': type = 'no type', 'content-encoding': coding = 'identity' } = answer.headers
  if (coding !== 'identity') return `is encoded as ${coding}, though nobody asked for that`
  if (mediaType !== undefined && !type.startsWith(mediaType)) return `has the type ${type}, not ${mediaType}`
  if (answer.body.equals(bytes)) return undefined
  const feature = FEATURES.find(([trace]) => trace.test(answer.body.toString()))?.[1]
  return `arrives altered (${answer.body.length} bytes of ${bytes.length}): ${feature ? `switch off ${feature}` : 'something in between changes content'}`
}

/** On both hosts: one may be in a zone where a feature is on. */
export async function checkSample({ ask, api, storage }: Target, what: SampleName): Promise<string | undefined> {
  const { path, bytes, mediaType } = sampleOf(what)
  const problems = await Promise.all(
    [api, storage].map(async (origin) => {
      const found = difference(await ask(new URL(path, origin), { headers: { Accept: '*/*' } }), bytes, mediaType)
      return found === undefined ? [] : [`of ${origin.host} ${found}`]
    }),
  )
  return problems.flat().join('; and ') || undefined
}

/** A page on the host of its CID. */
export async function checkSubdomain({ ask, storage }: Target): Promise<string | undefined> {
  const url = new URL(storage)
  url.host = `${SHORT_CID}.ipfs.${storage.host}`
  const found = difference(await ask(url), SHORT_PAGE, 'text/html')
  return found === undefined ? undefined : `${url.host} ${found}`
}

/** The page helper, in Brotli and without, against the hash that pages pin. */
export async function checkHook({ ask, api }: Target): Promise<string | undefined> {
  const url = new URL('/hook.js', api)
  const integrity = String(jsonOf(await ask(new URL('/hook.json', api)))?.integrity)
  const [coded, plain] = await Promise.all([ask(url, BROTLI), ask(url)])
  if (coded.headers['content-encoding'] !== 'br') return 'is not sent in Brotli to who accepts it'
  const decoded = decode(coded.body)
  if (decoded === undefined || plain.headers['content-encoding'] !== undefined)
    return 'has an encoding that it does not name'
  if (![decoded, plain.body].every((bytes) => integrityOf(bytes) === integrity))
    return 'has not the hash that /hook.json names'
  return undefined
}

/** Content of a chain, as it is stored there. @param content that `--content` or the service's own letter names */
export async function checkStoredBrotli({ ask, api }: Target, content: ChainContent): Promise<string | undefined> {
  const { blockchain, txids } = content
  const headers = { 'Content-Type': 'application/json' }
  const blob = await ask(new URL('/v0/blob', api), { method: 'POST', headers, body: JSON.stringify(content) })
  if (blob.status !== 200) return `cannot be read: /v0/blob answers ${blob.status}`
  const stored = Buffer.from(blob.body.toString(), 'hex')
  const plain = decode(stored)
  if (plain === undefined) return 'is not stored in Brotli: name other content with --content'
  const url = new URL(`/v0/web/${blockchain}/${txids.join(',')}`, api)
  const coded = await ask(url, BROTLI)
  if (coded.status !== 200) return `answers ${coded.status}`
  if (coded.headers['content-encoding'] !== 'br') return 'is decoded on its way to who accepts Brotli'
  if (!coded.body.equals(stored)) return 'is encoded anew on its way'
  return difference(await ask(url), plain)
}

/** A part of the helper, and of the picture. */
export function checkRanges(target: Target): Promise<string | undefined> {
  return onEachHost(target, async (ask) => {
    const whole = await ask()
    const part = await ask({ headers: { Range: 'bytes=3-12' } })
    if (part.status !== 206) return `answers a range with ${part.status}`
    const isRight = part.headers['content-range'] === `bytes 3-12/${whole.body.length}`
    return isRight && part.body.equals(whole.body.subarray(3, 13)) ? undefined : 'answers a range with other bytes'
  })
}

/** The same two, again, with the tag that they had. */
export function checkNotModified(target: Target): Promise<string | undefined> {
  return onEachHost(target, async (ask) => {
    const { etag } = (await ask()).headers
    if (etag === undefined) return 'has no entity tag'
    const { status } = await ask({ headers: { 'If-None-Match': etag } })
    return status === 304 ? undefined : `answers ${status}, not 304, to who has it already`
  })
}

async function onEachHost(
  { ask, api, storage }: Target,
  check: (ask: (request?: Request) => Promise<Answer>) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { path } = sampleOf('picture')
  const urls = [new URL('/hook.js', api), new URL(path, storage)]
  const problems = await Promise.all(
    urls.map(async (url) => {
      const found = await check((request) => ask(url, request))
      return found === undefined ? [] : [`${url.host}${url.pathname} ${found}`]
    }),
  )
  return problems.flat().join('; and ') || undefined
}

const BROTLI: Request = { headers: { 'Accept-Encoding': 'br' } }

function decode(bytes: Buffer): Buffer | undefined {
  try {
    return brotliDecompressSync(bytes)
  } catch {
    return undefined
  }
}

function integrityOf(bytes: Buffer): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`
}
