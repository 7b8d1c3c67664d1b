import { BEST_QUALITY_BYTES } from '../../protocol/brotli-settings.ts'
import workerUrl from './compress-worker.ts?worker&url'

/** Limit for all files. A laptop of 2023 needs a second for each 256 KiB, so a minute in all. */
const MAX_TOTAL_BYTES = 16 * 2 ** 20
const MAX_FILES = 500

/** Results of this tab. */
const known = new WeakMap<Blob, number>()

/**
 * The compressed size of each file, in order, found in a worker one after another; undefined beyond the
 * limits, if this browser cannot tell, or if `signal` is aborted.
 */
export async function compressedSizes(files: readonly Blob[], signal: AbortSignal): Promise<number[] | undefined> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const tooLarge = files.some(({ size }) => size > BEST_QUALITY_BYTES)
  if (files.length > MAX_FILES || total > MAX_TOTAL_BYTES || tooLarge) return undefined
  let worker: Worker | undefined
  try {
    for (const file of files) {
      if (signal.aborted) return undefined
      if (known.has(file)) continue
      worker ??= startWorker()
      const stored = await askWorker(worker, file, signal)
      if (stored === undefined) return undefined
      known.set(file, stored)
    }
  } catch {
    // A policy, a proxy or an old browser prevents workers. Then only the upper bound of the price is shown.
    return undefined
  } finally {
    // The browser caches the compiled code, but the memory of WebAssembly never shrinks.
    worker?.terminate()
  }
  return files.flatMap((file) => known.get(file) ?? [])
}

function askWorker(worker: Worker, file: Blob, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<unknown>) => resolve(typeof data === 'number' ? data : undefined)
    worker.onerror = () => resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    worker.postMessage(file)
  })
}

// The part of Trusted Types that is used; lib.dom lacks them (https://w3c.github.io/trusted-types/).
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(url: string): string }
}
declare global {
  interface Window {
    readonly trustedTypes?: TrustedTypes
  }
}

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

function startWorker(): Worker {
  // The policy returns this one address for any input.
  policy ??= window.trustedTypes?.createPolicy('console', { createScriptURL: () => workerUrl })
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module', name: 'compress' })
}
