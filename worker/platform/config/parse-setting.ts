import { parseAmount } from '../../../protocol/amount.ts'
import { BLOCKCHAINS, type Blockchain, COIN, isBlockchain } from '../../../protocol/chains.ts'

/** A node's JSON-RPC address; the credentials are removed from the URL and are in `authorization`, a header. */
export interface RpcEndpoint {
  url: string
  authorization: string | undefined
}

/** The setting. @throws {Error} where it is missing. */
export function required(text: string | undefined): string {
  if (text === undefined) throw new Error('is missing')
  return text
}

/** The parts between commas. */
export function parseList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const MOST_LABELS = 1000

/** Labels of host names between commas, in lower case. @throws {Error} */
export function parseLabels(text: string | undefined): string[] {
  const labels = parseList(text).map((label) => label.toLowerCase())
  const wrong = labels.find((label) => !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  if (wrong !== undefined) throw new Error(`has ${wrong}, which is no label of a host name such as status`)
  if (labels.length > MOST_LABELS) throw new Error(`has more than ${MOST_LABELS} names`)
  return labels
}

/** The most transactions of the letter on the console's sign-in page: everybody who opens the page reads it. */
const MAX_LETTER_TXIDS = 100

/** `<chain>:<txid>,<txid>…`: content on a chain, by its txids in order. */
export function parseLetter(text: string | undefined): { blockchain: Blockchain; txids: string[] } | undefined {
  if (text === undefined) return undefined
  const [blockchain, list] = text.split(':')
  const txids = parseList(list)
  const fine =
    txids.length > 0 && txids.length <= MAX_LETTER_TXIDS && txids.every((txid) => /^[0-9a-f]{64}$/.test(txid))
  if (isBlockchain(blockchain) && fine) return { blockchain, txids }
  throw new Error(`is not a chain, a colon and at most ${MAX_LETTER_TXIDS} txids such as Bitcoin:ab…,cd…`)
}

/** Names of chains between commas. @throws {Error} */
export function parseChains(text: string | undefined): Blockchain[] {
  return parseList(text).map((name) => {
    if (isBlockchain(name)) return name
    throw new Error(`is not a list of ${BLOCKCHAINS.join(', ')}`)
  })
}

/** Scheme, host and port of a service, without a path. */
export function parseOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new Error('is not an http(s) origin such as https://api.example')
  }
  return url
}

/** Host and port, lower-cased. */
export function parseHost(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined
  if (!url || url.host !== text.toLowerCase() || url.username) {
    throw new Error('is not a host such as storage.example or storage.localhost:8787')
  }
  return url.host
}

/** Whether `fetch` can request this address. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** An address that `fetch` can request. @throws {Error} */
export function parseUrl(text: string): URL {
  if (!isHttpUrl(text)) throw new Error('is not an http(s) URL')
  return new URL(text)
}

const MOST_LINES = 10
const LINE_LENGTH = 100

/** Lines of text: `\\n` or a line break between two. Empty ones are left out. */
export function parseLines(text: string | undefined): string[] {
  const lines = (text ?? '').split(/\\n|\r?\n/).map((line) => line.trim())
  const written = lines.filter((line) => line !== '')
  if (written.length > MOST_LINES) throw new Error(`has more than ${MOST_LINES} lines`)
  if (written.some((line) => line.length > LINE_LENGTH))
    throw new Error(`has a line of more than ${LINE_LENGTH} characters`)
  return written
}

/** Base units, of coins as a decimal number. */
export function parsePrice(text: string | undefined): bigint {
  const price = parseAmount(text ?? '0.00001')
  if (price < 0n) throw new Error('is negative')
  return price
}

/** Base units, of coins as a decimal number above zero; nothing where it is not set. */
export function parseCoins(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const amount = parseAmount(text)
  if (amount <= 0n) throw new Error('is not above zero')
  return amount
}

/** `<coins>,<coins>`, base units: what is paid out in a time to all accounts together, and to one; empty: no limit. */
export function parsePayoutLimit(text: string | undefined): Record<'all' | 'account', bigint | undefined> {
  const [all, account, ...more] = (text ?? '').split(',').map((part) => part.trim())
  if (more.length > 0) throw new Error('has more than two amounts: of all accounts, and of one, such as 5,0.5')
  return { all: parseCoins(all || undefined), account: parseCoins(account || undefined) }
}

/** The highest step, in coins: sums of SQLite are exact to 2^53 base units, some 90 million coins. */
const HIGHEST_STEP_COINS = 1_000_000n

/** A payment of `from` base units or more needs so many confirmations. */
export interface ConfirmationStep {
  from: bigint
  confirmations: number
}

const MOST_STEPS = 10

/** `<coins>:<confirmations>,…`, both rising: `1:6,10:12`. */
export function parseConfirmationSteps(text: string | undefined): ConfirmationStep[] {
  const steps = parseList(text).map((part) => {
    const [, coins = '', count = ''] = /^([\d.]+):(\d{1,4})$/.exec(part) ?? []
    if (count === '') throw new Error(`has ${part}, not coins, a colon and confirmations such as 1:6`)
    const step = { from: parsePrice(coins), confirmations: Number(count) }
    if (step.from > HIGHEST_STEP_COINS * COIN) throw new Error(`is above ${HIGHEST_STEP_COINS} coins`)
    if (step.confirmations > 1000) throw new Error('asks for more than 1000 confirmations')
    return step
  })
  if (steps.length > MOST_STEPS) throw new Error(`has more than ${MOST_STEPS} steps`)
  const rising = steps.every((step, index) => {
    const before = steps[index - 1]
    return !before || (step.from > before.from && step.confirmations > before.confirmations)
  })
  if (!rising) throw new Error('does not rise from step to step, in coins and in confirmations')
  return steps
}

/** The hash of a block, in lower case. */
export function parseBlockHash(text: string | undefined): string | undefined {
  if (text !== undefined && !/^[0-9a-fA-F]{64}$/.test(text)) throw new Error('is not a block hash of 64 hex digits')
  return text?.toLowerCase()
}

/** Where weaknesses are reported (RFC 9116, 2.5.3): URIs between commas, the preferred one first. */
export function parseContacts(text: string | undefined): string[] {
  return parseList(text).map((item) => {
    const url = URL.canParse(item) && !/\s/.test(item) ? new URL(item) : undefined
    if (!url || !/^(?:https|mailto|tel):$/.test(url.protocol)) {
      throw new Error(`has ${item}, no address such as mailto:security@api.example or https://api.example/contact`)
    }
    return url.href
  })
}

/** Where the operator can be contacted: a page, or an email address as `mailto:`. */
export function parseContact(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) {
    throw new Error('is no address such as https://hookline.io/contact or mailto:help@hookline.io')
  }
  return url.href
}

/** Addresses between commas, without trailing slashes. */
export function parseUrls(text: string | undefined): string[] {
  return parseList(text).map((item) => {
    if (!isHttpUrl(item)) throw new Error(`has ${item}, not an http(s) URL`)
    return item.replace(/\/+$/, '')
  })
}

/** A key of 32 bytes or more, base64url. */
export function parseFrontKey(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  const key = Uint8Array.from(Buffer.from(text, 'base64url'))
  if (!/^[\w-]+$/.test(text) || key.length < 32) throw new Error('is not base64url of 32 bytes or more')
  return key
}

/** Nodes between commas, in the order in which they are tried. */
export function parseEndpoints(text: string | undefined): RpcEndpoint[] {
  return parseList(text).map((item, index) => {
    const url = URL.canParse(item) ? new URL(item) : undefined
    // The message does not repeat the address, which may contain a password.
    if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`has no http(s) URL at place ${index + 1}`)
    const { username, password } = url
    url.username = ''
    url.password = ''
    const credentials = [username, password].map((part) => decodePercent(part, index + 1)).join(':')
    const authorization = username || password ? `Basic ${Buffer.from(credentials).toString('base64')}` : undefined
    return { url: url.href, authorization }
  })
}

function decodePercent(text: string, place: number): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error(`has a user or password at place ${place} with a "%" that has to be written as "%25"`)
  }
}

/** A parser of whole numbers within bounds. */
export function integer(least: number, most: number, fallback: number) {
  return (text: string | undefined): number => {
    if (text === undefined) return fallback
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw new Error(`is not a whole number from ${least} to ${most}`)
    return value
  }
}

/** A parser of one of a few words. */
export function oneOf<const T extends string>(values: readonly T[], fallback: T) {
  return (text: string | undefined): T => {
    const value = values.find((candidate) => candidate === (text ?? fallback))
    if (value === undefined) throw new Error(`is not one of ${values.join(', ')}`)
    return value
  }
}

/** A parser of a text of this form; nothing where it is not set. The message does not repeat it, which may be secret. */
export function matching(form: RegExp, problem: string) {
  return (text: string | undefined): string | undefined => {
    if (text !== undefined && !form.test(text)) throw new Error(problem)
    return text
  }
}
