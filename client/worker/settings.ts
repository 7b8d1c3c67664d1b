import { parseGateways } from '../../client-hook/gateways.ts'

/** What the author's worker is set to, by the query of its own URL. */
export interface WorkerSettings {
  /** Origins that serve transactions and blocks, in the order to ask them, without a slash at the end. */
  hosts: readonly string[]
}

/**
 * The settings in the URL of the worker's file, `hookline-worker.js?api=https://api.example&gateways=https://one https://two`;
 * or the sentence that says what is wrong.
 */
export function parseSettings(url: string): WorkerSettings | string {
  const { searchParams, pathname } = new URL(url)
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  const api = searchParams.get('api') ?? ''
  if (!URL.canParse(api) || !/^https?:$/.test(new URL(api).protocol))
    return `${name} needs the address of a Hookline: ${name}?api=https://api.example`
  const gateways = parseGateways(searchParams.get('gateways') ?? '')
  if (!gateways) return `gateways of ${name} must be at most 8 origins, https or loopback, separated by spaces.`
  return { hosts: [...new Set([api.replace(/\/+$/, ''), ...gateways])] }
}
