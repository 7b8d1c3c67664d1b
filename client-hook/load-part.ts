import { fromHex } from '../protocol/bytes.ts'
import { HookError } from './hook-error.ts'
import { explainRefusal } from './policy-violations.ts'
import { createElement } from './script-element.ts'
import { trustedUrl } from './trusted-types.ts'

/** A file of this build: the path under the API host, and the SHA-256 that the browser checks it against, in hex. */
export interface Part {
  path: string
  sha256: string
}

/** The hash of a part as browsers take it (Subresource Integrity, 3.1). */
export function integrityOf({ sha256 }: Part): string {
  return `sha256-${btoa(String.fromCharCode(...(fromHex(sha256) ?? [])))}`
}

/** Loads a script of this build; the browser runs it only if its bytes have the hash. */
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
      // A script that has run and handed nothing over is not ours.
      script.addEventListener('load', fail)
      script.integrity = integrityOf(part)
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
