import { ReaderError } from '../../reader/reader-error.ts'
import { decodeBrotli } from '../decode-brotli.ts'
import { ChainContents } from './chain-content.ts'
import { start } from './start.ts'

/** hookline-chain-worker.js: content of chains alone. */
start((tools) => {
  const chains = new ChainContents({ ...tools, decode: decodeBrotli })
  return async (route, _, signal) => {
    if (route.kind === 'chain') return await chains.open(route, signal)
    throw new ReaderError('unsupported', 'IPFS is read by hookline-worker.js, not by this one.')
  }
})
