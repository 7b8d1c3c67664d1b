import type { Part } from './hashed-part.ts'
import { HookError } from './hook-error.ts'
import { explainRefusal } from './policy-violations.ts'
import { createElement } from './script-element.ts'
import { trustedUrl } from './trusted-types.ts'

/** The exports of a script of this build. The browser runs it only if it matches its integrity hash. */
export async function loadPart<Exports>(base: string, part: Part, nonce: string): Promise<Exports> {
  const url = base + part.path
  const script = createElement('script')
  try {
    return await new Promise<Exports>((resolve, reject) => {
      const fail = () => reject(new HookError('part_failed', `${url} could not be loaded.`))
      script.addEventListener('hook:part', (event) => {
        if (event instanceof CustomEvent) resolve(event.detail)
      })
      script.addEventListener('error', fail)
      // A script that has run without passing its exports is not one of ours.
      script.addEventListener('load', fail)
      script.integrity = part.integrity
      script.crossOrigin = 'anonymous'
      script.referrerPolicy = 'no-referrer'
      script.nonce = nonce
      script.src = trustedUrl(url)
      Document.prototype.querySelector.call(document, 'html')?.append(script)
    })
  } catch (error) {
    throw error instanceof HookError && error.directive ? error : await explainRefusal(error, url, 'script-src')
  } finally {
    script.remove()
  }
}
