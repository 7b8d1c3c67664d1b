import { newApiApp } from './new-api-app.ts'

/**
 * The routes of the API host that readers call, which are loaded when the Worker starts. Those of accounts, orders and
 * operators (api-app.ts) are loaded with their first request.
 */
export const retrievalApp = newApiApp()

/** Whether {@link retrievalApp} answers this path of the API host. */
export function isRetrievalPath(path: string): boolean {
  return /^\/(?:ip[fn]s|hook|v0\/(?:blob|web|tx|chunk|proof|decode|content))(?:[/.]|$)/.test(path)
}
