import type { CID } from 'multiformats/cid'
import { FORM_BITS, HEADER_BYTES } from './collect-denylist.ts'
import { KeySet } from './key-set.ts'
import { deniedCidKey, hashedKey, legacyKey, nameKey } from './parse-denylist-line.ts'

/** The imported denylist in the memory of an isolate: 8 bytes an entry. */
export class ImportedList {
  /** Its object in the bucket. */
  readonly name: string
  readonly #keys: KeySet
  readonly #legacy: boolean
  readonly #hashed: boolean

  /** `bytes` are those of {@link CollectedDenylist}. */
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

  /** Whether what is at `path` below `root` is on it, as that path. */
  hasPath(root: CID, path: string): boolean {
    if (this.#legacy && this.#keys.has(legacyKey(root, path))) return true
    return this.#hashed && this.#keys.has(hashedKey(root, path))
  }

  /** Whether a name under `/ipns/` is on it. */
  hasName(name: string): boolean {
    return this.#keys.has(nameKey(name))
  }
}
