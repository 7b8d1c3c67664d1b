import type { SourceAnswer, SourceRequest } from '../fetch-from.ts'
import type { PartTools } from '../part-tools.ts'
import { continueRace, type Race, type RaceEvent, startRace } from './race.ts'

/** In ms. */
const SECOND = 1000
/** If all sources together send fewer bytes in a second, the next one is requested too, because some send very slowly. */
const FEW_BYTES = 1024

export interface RaceOptions {
  /** In the order to ask them. */
  sources: readonly string[]
  /** Sources that sent nothing for a second when they were last asked. It is updated. */
  silent: Set<string>
  /** The request for this source. */
  requestOf(source: string): SourceRequest
}

/**
 * The first complete body, and its source; the other requests are aborted.
 * @throws {ReaderError}
 */
export async function runRace(
  { fetchFrom }: PartTools,
  { sources, silent, requestOf }: RaceOptions,
  { signal, onProgress }: SourceRequest,
): Promise<{ source: string; answer: SourceAnswer }> {
  signal?.throwIfAborted()
  const downloads = new Map<string, { controller: AbortController; loaded: number }>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stop = () => {}
  try {
    return await new Promise((resolve, reject) => {
      let race: Race = startRace(sources, silent)
      /** Bytes of all sources since the last check, and of the one that has sent most. */
      let bytes = 0
      let most = 0

      const ask = (source: string) => {
        const download = { controller: new AbortController(), loaded: 0 }
        downloads.set(source, download)
        const request = {
          ...requestOf(source),
          signal: download.controller.signal,
          onProgress(loaded: number, total: number | undefined) {
            silent.delete(source)
            bytes += loaded - download.loaded
            download.loaded = loaded
            if (loaded <= most) return
            most = loaded
            onProgress?.(loaded, total)
          },
        }
        fetchFrom(source, request).then(
          (answer) => {
            silent.delete(source)
            happen({ type: 'arrival', source })
            resolve({ source, answer })
          },
          (error: unknown) => happen({ type: 'failure', source, error, final: isDenied(error) }),
        )
      }
      const happen = (event: RaceEvent) => {
        race = continueRace(race, event, silent)
        run()
      }
      const run = () => {
        if (race.outcome) {
          if ('error' in race.outcome) reject(race.outcome.error)
          return
        }
        const fresh = race.asked.filter((source) => !downloads.has(source))
        fresh.forEach(ask)
        if (fresh.length > 0) wait()
      }
      const wait = () => {
        bytes = 0
        clearTimeout(timer)
        if (race.waiting.length > 0) timer = setTimeout(look, SECOND)
      }
      const look = () => {
        for (const [source, { loaded }] of downloads) if (loaded === 0) silent.add(source)
        if (bytes < FEW_BYTES) happen({ type: 'silence' })
        else wait()
      }

      stop = () => reject(signal?.reason)
      signal?.addEventListener('abort', stop)
      run()
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    for (const { controller } of downloads.values()) controller.abort()
  }
}

/** Checked by code: this part is a script of its own with another copy of the error classes. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'denied'
}
