import type { CID } from 'multiformats/cid'
import { FORM_BITS, HEADER_BYTES } from './collect-denylist.ts'
import { KeySet } from './key-set.ts'
import { deniedCidKey, hashedKey, legacyKey, nameKey } from './parse-denylist-line.ts'

/** The imported denylist in the memory of an isolate, with 8 bytes per entry. */
export class ImportedList {
  /** The key of its object in the R2 bucket. */
  readonly name: string
  readonly #keys: KeySet
  readonly #legacy: boolean
  readonly #hashed: boolean

  /** `bytes` has the format of `bytes` of {@link CollectedDenylist}. */
  constructor(name: string, bytes: ArrayBuffer) {
    this.name = name
    const forms = new Uint8Array(bytes, 0, 1)[0] ?? 0
    this.#keys = new KeySet(new BigUint64Array(bytes, HEADER_BYTES))
    this.#legacy = (forms & FORM_BITS.legacy) !== 0
    this.#hashed = (forms & FORM_BITS.hashed) !== 0
  }

  hasCid(cid: CID): boolean {
    if (this.#keys.has(deniedCidKey(cid))) return true
    return (this.#legacy && this.#keys.has(legacyKey(cid, ''))) || (this.#hashed && this.#keys.has(hashedKey(cid)))
  }

  /** Whether a rule denies `path` below `root`. The CID that the path resolves to is not checked. */
  hasPath(root: CID, path: string): boolean {
    if (this.#legacy && this.#keys.has(legacyKey(root, path))) return true
    return this.#hashed && this.#keys.has(hashedKey(root, path))
  }

  /** Whether a rule denies `/ipns/<name>`. */
  hasName(name: string): boolean {
    return this.#keys.has(nameKey(name))
  }
}
