import { existsSync, readFileSync } from 'node:fs'
import { type Checkpoints, parseCheckpoints } from '../reader/proof/parse-checkpoints.ts'

/** What `npm run checkpoint` pinned. */
const FILE = new URL('../proof/checkpoints.json', import.meta.url)

/** The operator's checkpoints; none in a checkout where none was made. */
export function operatorsCheckpoints(): Checkpoints {
  return existsSync(FILE) ? parseCheckpoints(JSON.parse(readFileSync(FILE, 'utf8'))) : {}
}
