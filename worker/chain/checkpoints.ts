import { brotliDecompressSync } from 'node:zlib'
import data from '../../client-hook/dist/checkpoints.json.br'
import { type Checkpoints, parseCheckpoints } from '../../reader/proof/parse-checkpoints.ts'

/** What this build pins, and its page helper has compiled in. */
export const checkpoints: Checkpoints = parseCheckpoints(JSON.parse(brotliDecompressSync(data).toString()))
