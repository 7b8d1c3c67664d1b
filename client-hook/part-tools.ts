import type { ReaderErrorCode } from '../reader/reader-error.ts'
import type { Database } from './database.ts'
import type { download, refresh } from './download.ts'
import type { FetchAny, fetchFrom } from './fetch-from.ts'
import type { HookError } from './hook-error.ts'
import type { explainRefusal } from './policy-violations.ts'
import type { Sha256 } from './sha256.ts'
import type { trustedUrl } from './trusted-types.ts'

/** What the helper passes to its lazy parts, so that they need no second copy of its code and state. */
export interface PartTools {
  /** The API host, without a slash at the end. */
  base: string
  /** Origins to ask after the API host. */
  gateways: readonly string[]
  database: Database
  sha256: Sha256
  download: typeof download
  refresh: typeof refresh
  fetchFrom: typeof fetchFrom
  fetchAny: FetchAny
  explainRefusal: typeof explainRefusal
  trustedUrl: typeof trustedUrl
  fail(code: ReaderErrorCode, message: string, cause?: unknown, directive?: string): HookError
}
