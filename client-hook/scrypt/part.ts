import { workOf } from '../../reader/proof/chain-work.ts'
import type { Work } from '../../reader/proof/check-headers.ts'
import { providePart } from '../provide-part.ts'

/** The work of headers of Dogecoin, which only blocks above its checkpoint need. */
export const part: Work | undefined = workOf('Dogecoin')
providePart(part)
