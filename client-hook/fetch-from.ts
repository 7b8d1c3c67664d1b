import { ReaderError } from '../reader/reader-error.ts'
import { type DownloadOptions, download, refresh } from './download.ts'

/** A request to a source. */
export interface SourceRequest extends DownloadOptions {
  /** A source that sent false data is used last for the same kind. */
  kind: 'chain' | 'ipfs'
  /** Relative to the source's origin; starts with a slash. */
  path: string
  /** Origins that the element names; they are used before those of the script tag. */
  gateways?: readonly string[] | undefined
}

/** A body that is not verified yet. */
export interface SourceAnswer {
  chunks: Uint8Array[]
  /**
   * Reports that the body is false, with `error` as the reason, and returns what the next source sends.
   * @throws `error` if there is no other source
   */
  refuse(error: unknown): Promise<SourceAnswer>
}

/**
 * A body from the API host or, with gateways, from the first source that has it.
 * @throws {ReaderError}
 */
export type FetchAny = (request: SourceRequest) => Promise<SourceAnswer>

/**
 * The body from one source. If it is false, it is removed from the browser's cache.
 * @throws {ReaderError}
 */
export async function fetchFrom(source: string, request: SourceRequest): Promise<SourceAnswer> {
  const url = source + request.path
  return {
    chunks: await download(url, request),
    async refuse(error) {
      if (!request.body) refresh(url, request)
      throw error
    },
  }
}

/**
 * The result of `verify` for the first body that it accepts.
 * @throws {ReaderError}
 */
export async function fetchVerified<Result>(
  ask: FetchAny,
  request: SourceRequest,
  verify: (chunks: Uint8Array[]) => Promise<Result>,
): Promise<Result> {
  for (let answer = await ask(request); ; ) {
    try {
      return await verify(answer.chunks)
    } catch (error) {
      if (!(error instanceof ReaderError && error.code === 'not_verified')) throw error
      answer = await answer.refuse(error)
    }
  }
}
