import { MEDIA_TYPE } from '../../../contract/media-type.ts'
import { EMAIL, PASSWORD } from '../auth/parse-credentials.ts'

const source = ({ source }: RegExp): string => source

/** Patterns of the fields, from the code that checks them; JSON Schema reads them as ECMA-262 does. */
export const PATTERNS = {
  email: source(EMAIL),
  password: source(PASSWORD),
  mediaType: source(MEDIA_TYPE),
  txids: '^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$',
  /** A CIDv0, or a CIDv1 in a base whose prefix says so, and a path below it. */
  ipfsPath:
    '^(Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,120}|B[A-Z2-7]{20,120}|z[1-9A-HJ-NP-Za-km-z]{20,120}|k[0-9a-z]{20,120}|f[0-9a-f]{20,200})(/.*)?$',
  /** A key as a CID or peer id, or a domain. */
  ipnsPath: '^[A-Za-z0-9][A-Za-z0-9.-]{2,252}(/.*)?$',
  /** A file or folder: it becomes one name in a directory. */
  name: '^(?!\\.{1,2}$)[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]+$',
  /** The token of a mailed link, a session's id. */
  token: '^[A-Za-z0-9_-]{16,128}$',
  jwt: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{43}$',
  /** A decimal number of coins, at most 8 decimals. */
  coins: '^\\d{1,20}(\\.\\d{1,8})?$',
  uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  host: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$',
} as const
