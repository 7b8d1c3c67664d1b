import { runningScript } from './script-element.ts'

/** Passes the exports of a part to the helper through the script element, so that no global is needed. */
export function providePart(exports: unknown): void {
  runningScript()?.dispatchEvent(new CustomEvent('hook:part', { detail: exports }))
}
