import { ReaderError } from '../reader/reader-error.ts'
import { type DownloadOptions, download, refresh } from './download.ts'

/** What is asked of a source. */
export interface SourceRequest extends DownloadOptions {
  /** A source that sends what is false is the last to be asked for the same kind. */
  kind: 'chain' | 'ipfs'
  /** Behind the source's origin, with a slash at the start. */
  path: string
  /** Origins that the element names, to be asked before those of the script tag. */
  gateways?: readonly string[] | undefined
}

/** A body, none of which is believed. */
export interface SourceAnswer {
  chunks: Uint8Array[]
  /** Says that it is false, for which `error` stands, and gives what the next source sends. @throws `error` without one */
  refuse(error: unknown): Promise<SourceAnswer>
}

/** Gives a body from the API host or, where there are gateways, from whoever has it. @throws {ReaderError} */
export type AskSources = (request: SourceRequest) => Promise<SourceAnswer>

/** Asks one source. What is false does not stay in the browser's cache. @throws {ReaderError} */
export async function askSource(source: string, request: SourceRequest): Promise<SourceAnswer> {
  const url = source + request.path
  return {
    chunks: await download(url, request),
    async refuse(error) {
      if (!request.body) refresh(url, request)
      throw error
    },
  }
}

/** What `verify` makes of the first body that it does not find to be false. @throws {ReaderError} */
export async function askVerified<Result>(
  ask: AskSources,
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
