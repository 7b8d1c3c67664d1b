import { isShort, parseJson } from '../../client/http/parse-json.ts'
import type { TransportOptions } from '../../client/http/transport.ts'
import { sleepUntilOnline } from '../events/sleep-until-online.ts'

/** Milliseconds until a response must begin. */
const TIMEOUT_MS = 60_000

/** How the console sends requests: each one once, since the user can press again. */
export const options: TransportOptions = {
  api: new URL(location.origin),
  fetch: (url, init) => fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'same-origin' }),
  now: Date.now,
  random: Math.random,
  sleep: sleepUntilOnline,
  timeout: TIMEOUT_MS,
  headers: {},
  retries: 0,
  parse: (text) => parseJson(text, isShort),
  onRequest: undefined,
}
