import { problemOf } from '../api/api-error.ts'
import { api, call } from '../api/client.ts'
import { decideRetry } from '../core/decide-retry.ts'
import { waitForNetwork } from '../events/wait-for-network.ts'
import type { UploadProblem } from './upload-file.ts'

/**
 * Whether the parts that the service holds of an upload are the beginning of `file`: each whole chunk by its SHA-256.
 * @throws {ApiError}
 */
export async function compareHeld(id: string, file: Blob): Promise<boolean> {
  const { chunkSize, hashes } = await call(api.GET('/v0/upload/{id}', { params: { path: { id } } }))
  for (const [index, wanted] of hashes.entries()) {
    const bytes = await file.slice(index * chunkSize, (index + 1) * chunkSize).arrayBuffer()
    if (hexOf(await crypto.subtle.digest('SHA-256', bytes)) !== wanted.toLowerCase()) return false
  }
  return true
}

/**
 * The same over a network that is gone, until there is an answer: whether `file` is the one or another, or what refused
 * the question. An upload that is gone counts as the same: who goes on with it says so. Ends early, with any answer, once
 * `signal` is aborted. `onPause` is told why it waits, and that it goes on.
 */
export async function compareUntilAnswered(
  id: string,
  file: Blob,
  signal: AbortSignal,
  onPause: (reason: 'offline' | 'busy' | undefined) => void,
): Promise<'same' | 'other' | UploadProblem> {
  for (let failures = 1; ; failures++) {
    try {
      const same = await compareHeld(id, file)
      onPause(undefined)
      return same ? 'same' : 'other'
    } catch (error) {
      const problem = problemOf(error)
      if (problem.status === 404 || problem.status === 410) {
        onPause(undefined)
        return 'same'
      }
      const decision = decideRetry({ status: problem.status, retryAfter: undefined, failures })
      if (decision.kind !== 'again' || signal.aborted) return problem
      onPause(problem.status === 0 ? 'offline' : 'busy')
      await waitForNetwork(decision.afterMs, signal)
    }
  }
}

function hexOf(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
