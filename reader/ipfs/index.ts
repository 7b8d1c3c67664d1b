/** What reads IPFS, as one part that is loaded when it is needed. */
export { blockHashes } from './block-hashes.ts'
export { openChainSite } from './chain-site.ts'
export { IPFS_LIMITS } from './ipfs-limits.ts'
export { openIpfsFile, walkIpfs } from './open-ipfs.ts'
