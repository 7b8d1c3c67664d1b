import { ReaderError } from '../reader-error.ts'

/** @throws {ReaderError} `not_proven`, with what is wrong about the proof. */
export function refuse(message: string, cause?: unknown): never {
  throw new ReaderError('not_proven', message, cause)
}
