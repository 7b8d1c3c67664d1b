import type { FillResult } from '../client-hook/fill.ts'
import { GATEWAYS_RULE, parseGateways } from '../client-hook/gateways.ts'
import { type Hook, type HookParts, startHook } from '../client-hook/start-hook.ts'
import { HooklineError } from './http/api-error.ts'

export type { FillResult, Hook }

export interface HookOptions {
  /** Address of the API, which is asked for data, and for `/frame` where HTML is shown. Nothing that it says is believed. */
  api: string | URL
  /** At most eight origins that are asked behind the API: other hosts of Hookline, and trustless gateways of IPFS. */
  gateways?: readonly string[]
}

/** What the helper loads when it needs it: files of this package, as imports. */
export const PARTS: HookParts = {
  show: async () => (await import('../client-hook/show/part.ts')).part,
  ipfs: async () => (await import('../client-hook/ipfs/part.ts')).part,
  lazy: async () => (await import('../client-hook/lazy/part.ts')).part,
  insecure: async () => (await import('../client-hook/insecure/part.ts')).part,
  sources: async () => (await import('../client-hook/sources/part.ts')).part,
  brotli: async () => {
    const { default: wasm } = await import('brotli-dec-wasm/web/bg.wasm')
    if (wasm instanceof WebAssembly.Module) throw new HooklineError('part_failed', 'This build is for Workers.')
    return new Response(wasm, { headers: { 'Content-Type': 'application/wasm' } })
  },
}

/**
 * The page helper of `hook.js` for bundlers: returns what `window.hook` is there, makes no global and sends no events
 * to the document. @throws {HooklineError} `invalid_option` where there is no document, or for an address that is none.
 */
export function hook({ api, gateways = [] }: HookOptions): Hook {
  if (typeof document === 'undefined') throw new HooklineError('invalid_option', 'There is no document to fill here.')
  const origins = parseGateways(gateways.join(' '))
  if (!origins) throw new HooklineError('invalid_option', `gateways ${GATEWAYS_RULE}.`)
  return startHook(parseBase(api), PARTS, undefined, false, origins).hook
}

/** The address without a slash at the end. @throws {HooklineError} */
export function parseBase(api: string | URL): string {
  if (!URL.canParse(String(api))) {
    throw new HooklineError('invalid_option', `api must be an address, not ${String(api)}.`)
  }
  return String(api).replace(/\/+$/, '')
}
