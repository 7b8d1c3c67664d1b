/** What reads IPFS, as one part that is loaded when it is needed. */
export { CID } from 'multiformats/cid'
export { blockHashes } from './block-hashes.ts'
export { blockKey } from './car-reader.ts'
export { IPFS_LIMITS } from './ipfs-limits.ts'
export { openIpfsFile, walkIpfs } from './open-ipfs.ts'
export { verifiedCar } from './verified-car.ts'
