/** Limits of one read, by counting: the sizes that a publisher writes into a DAG can be false. */
export interface IpfsLimits {
  /** Bytes of one block. */
  maxBlockBytes: number
  /** Visited nodes, including repetitions: a few blocks can describe more nodes than anybody could visit. */
  maxNodes: number
  /** Levels of a file or a directory. */
  maxDepth: number
  /** Bytes of a file that are returned. */
  maxFileBytes: number
  /** Entries of all directories that are listed. */
  maxEntries: number
  /** Bytes of one CAR. */
  maxCarBytes: number
  /** Bytes of blocks that arrived before they were requested. */
  maxHeldBytes: number
}

export const IPFS_LIMITS: IpfsLimits = {
  // The trustless gateway specification lets a block have 2 MiB; some stores have a little more.
  maxBlockBytes: 4 << 20,
  maxNodes: 1 << 22,
  maxDepth: 32,
  maxFileBytes: 64 * 2 ** 30,
  maxEntries: 100_000,
  // Its framing and the nodes between its leaves are small beside the file.
  maxCarBytes: 2 ** 42,
  maxHeldBytes: 32 << 20,
}
