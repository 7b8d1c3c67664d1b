import { hash } from 'node:crypto'
import { sleep } from '../../reader/sleep.ts'
import { CommandError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import { fetchHost, type HostAnswer } from './fetch-host.ts'

/** The service caches a site for at most a minute. */
const PATIENCE_MS = 90_000
const POLL_INTERVAL_MS = 2_000

export interface Wanted {
  url: URL
  /** The page at `/` as it was sent: bytes, and SHA-256 in lowercase hex. */
  page: { size: number; sha256: string }
  /** The version with this CID, as text. */
  versionOf: (root: string | undefined) => Promise<string>
}

/**
 * Waits until the host sends the new version to visitors.
 * @throws {CommandError} 7, naming what the host sends instead
 */
export async function waitForVersion(
  { output, signal, now }: Context,
  { url, page, versionOf }: Wanted,
): Promise<void> {
  const began = now()
  for (;;) {
    let answer: HostAnswer | undefined
    let reason = ''
    try {
      answer = await fetchHost(url, page.size + 1_048_576, signal)
      if (answer.status === 200 && hash('sha256', answer.bytes) === page.sha256) return
    } catch (error) {
      signal.throwIfAborted()
      reason = error instanceof Error ? error.message : String(error)
    }
    if (now() - began > PATIENCE_MS) throw await notThere(url, answer, reason, versionOf)
    output.step({ step: 'showing', done: 0, total: 1, unit: 'hosts' })
    await sleep(POLL_INTERVAL_MS, signal)
  }
}

async function notThere(
  url: URL,
  answer: HostAnswer | undefined,
  reason: string,
  versionOf: Wanted['versionOf'],
): Promise<CommandError> {
  const what =
    answer === undefined
      ? `could not be reached: ${reason}`
      : answer.status === 200
        ? `still answers ${await versionOf(answer.root)}`
        : `answers with status ${answer.status}`
  return new CommandError(EXIT.temporary, 'version_not_shown', `The new version is current, but ${url.host} ${what}.`, {
    hint: 'Run the same command again; nothing is sent or paid twice.',
  })
}
