import { FILLED } from '../../client/worker/report-message.ts'
import type { FillRequest } from '../elements.ts'
import { MARK } from '../mark.ts'

/** The author's worker (docs/behaviour/author-worker.md), where it serves this page. */
export interface AuthorWorker {
  /** The folder whose pages it serves, with a slash at the end. */
  scope: string
  /** Whether it reads chains alone. */
  isForChains: boolean
}

/** In ms. A worker that is not there by then may be there at the next visit. */
const REGISTERING_TIMEOUT = 3000
/** A path with many txids is a long URL; what is longer is read as without the worker. */
const MAX_URL = 64 << 10

/**
 * The worker that serves this page, if its file has the name of the author's worker: browsers take it from the page's own origin only,
 * so whoever could put another file there could as well put another page there.
 */
export async function findAuthorWorker(): Promise<AuthorWorker | undefined> {
  const { serviceWorker } = navigator
  // Where the page has the worker's file as a script: resolves when the worker serves the page, or cannot.
  await Promise.race([
    Reflect.get(serviceWorker, MARK),
    new Promise((resolve) => setTimeout(resolve, REGISTERING_TIMEOUT)),
  ])
  const { controller } = serviceWorker
  const name = controller && /\/hookline-(chain-)?worker\.js$/.exec(new URL(controller.scriptURL).pathname)
  const registration = name ? await serviceWorker.getRegistration() : undefined
  return registration && { scope: registration.scope, isForChains: name?.[1] !== undefined }
}

/**
 * The URL under which the worker has what an element asks for; undefined for what it does not do as `hook.js` does: sources of the
 * element's own, and loading anew.
 */
export function urlOfWorker({ scope, isForChains }: AuthorWorker, request: FillRequest): string | undefined {
  const { blockchain, sources, essence, reload, gateways } = request
  const source = sources.join()
  if (reload || gateways.length > 0 || (blockchain === 'IPFS' && isForChains)) return undefined
  // A URL would leave the folder by these.
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(source)) return undefined
  const place = source.replace(/[?#\\]/g, encodeURIComponent)
  const url = `${scope}hookline/${blockchain === 'IPFS' ? 'ipfs' : blockchain}/${place}?type=${encodeURIComponent(essence)}&${FILLED}`
  return url.length > MAX_URL ? undefined : new URL(url).href
}
