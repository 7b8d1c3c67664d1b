import { MARK } from '../../client-hook/mark.ts'
import type { Answering } from './answer-request.ts'
import type { Tools } from './content.ts'
import { register } from './page.ts'
import { serve } from './serve.ts'
import { isServiceScope } from './service-scope.ts'

/** Starts the file where it runs: as the service worker, or as a script of a page, which registers it. */
export function start(openFor: (tools: Tools) => Answering['open']): void {
  const scope: unknown = globalThis
  if (isServiceScope(scope)) serve(scope, openFor)
  else if (typeof document !== 'undefined' && document.currentScript instanceof HTMLScriptElement) {
    const registering = register(document.currentScript)
    // hook.js waits for it.
    if (navigator.serviceWorker) Reflect.set(navigator.serviceWorker, MARK, registering)
  }
}
