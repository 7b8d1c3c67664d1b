import { runningScript } from './script-element.ts'

/** Hands what a part exports to the helper that loads it, through the script element: no global is needed. */
export function providePart(exports: unknown): void {
  runningScript()?.dispatchEvent(new CustomEvent('hook:part', { detail: exports }))
}
