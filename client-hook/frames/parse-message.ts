import type { ShellMessage, SiteRequest } from './messages.ts'

/** What a shell said; undefined where it is nothing that one says: who serves it is not trusted. */
export function parseShellMessage(data: unknown): ShellMessage | undefined {
  if (!isObject(data)) return undefined
  if (data.heard === true) return { heard: true }
  if (data.ready === true) return { ready: true }
  if (data.loaded === true) return { loaded: true }
  if (typeof data.failed === 'string') return { failed: data.failed }
  const ask = parseRequest(data.ask)
  return ask && { ask }
}

function parseRequest(data: unknown): SiteRequest | undefined {
  if (!isObject(data)) return undefined
  const { method, path, range, isPage } = data
  if (typeof method !== 'string' || typeof path !== 'string' || typeof isPage !== 'boolean') return undefined
  return { method, path, range: typeof range === 'string' ? range : null, isPage }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
