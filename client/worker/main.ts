import { decodeBrotli } from '../decode-brotli.ts'
import { ChainContents } from './chain-content.ts'
import { openIpfsContent } from './ipfs-content.ts'
import { openSiteFile } from './site-file.ts'
import { start } from './start.ts'

/** hookline-worker.js: content of chains and of IPFS. */
start((tools) => {
  const chains = new ChainContents({
    ...tools,
    decode: decodeBrotli,
    openSiteFile: (content, path) => openSiteFile(content, path, tools.sha256),
  })
  return (route, wanted, signal) =>
    route.kind === 'chain' ? chains.open(route, signal) : openIpfsContent(tools, route.place, wanted, signal)
})
