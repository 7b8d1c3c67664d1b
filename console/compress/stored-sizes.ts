import { BEST_QUALITY_BYTES } from '../../protocol/brotli-settings.ts'
import workerUrl from './compress-worker.ts?worker&url'

/** In all: a laptop of 2023 takes a second for each 256 KiB, and so a minute. */
const MAX_TOTAL_BYTES = 16 * 2 ** 20
const MAX_FILES = 500

/** What was compressed in this tab. */
const known = new WeakMap<Blob, number>()

/**
 * The bytes that each file is stored in on a chain, in order, compressed in a worker one after another; undefined where
 * there are more than the limits, and where this browser can't tell. Ends, with undefined, once `signal` is aborted.
 */
export async function storedSizes(files: readonly Blob[], signal: AbortSignal): Promise<number[] | undefined> {
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
    // A policy, a proxy or an old browser that lets no worker run: then there is only the price at most.
    return undefined
  } finally {
    // What it compiled comes from the browser's cache next time; its memory never becomes less.
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

// lib.dom has no Trusted Types yet (https://w3c.github.io/trusted-types/): what is used of them.
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
  // Whatever it is asked for, the policy gives this one address.
  policy ??= window.trustedTypes?.createPolicy('console', { createScriptURL: () => workerUrl })
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module', name: 'compress' })
}
