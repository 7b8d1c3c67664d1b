import type { StorageTarget } from '../../protocol/chains.ts'

interface FillResult {
  element: HTMLElement
  status: 'filled' | 'failed'
  error?: Error
}
type Hook = (blockchain: StorageTarget, root?: ParentNode) => Promise<FillResult[]>

/** The helper is not expected after this time. */
const TIMEOUT_MS = 30_000

let loading: Promise<Hook> | undefined

/**
 * The page helper, which verifies what it shows. It is started once. Its script element is in the page with a type that
 * no browser runs, since setting the address of a script here would need a Trusted Types policy of the console.
 */
export function loadHook(): Promise<Hook> {
  loading ??= start().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

function start(): Promise<Hook> {
  return new Promise((resolve, reject) => {
    const present = hookOf()
    if (present) {
      resolve(present)
      return
    }
    const script = document.getElementById('hook')
    if (!(script instanceof HTMLScriptElement)) {
      reject(new Error('the page holds no element for hook.js'))
      return
    }
    const timer = setTimeout(() => reject(new Error('hook.js did not come')), TIMEOUT_MS)
    script.addEventListener('error', () => reject(new Error('hook.js could not be loaded')), { once: true })
    script.addEventListener(
      'load',
      () => {
        clearTimeout(timer)
        const hook = hookOf()
        if (hook) resolve(hook)
        else reject(new Error('hook.js did not start'))
      },
      { once: true },
    )
    // Inserting the element again makes the browser check it again, now with a type that it runs.
    script.remove()
    script.type = 'text/javascript'
    document.head.append(script)
  })
}

function hookOf(): Hook | undefined {
  const hook: unknown = Reflect.get(window, 'hook')
  return isHook(hook) ? hook : undefined
}

function isHook(value: unknown): value is Hook {
  return typeof value === 'function'
}
