import type { ContentRequest, FoundPath } from './serve-ipfs-path.ts'

export async function findRedirect(_asked: ContentRequest): Promise<FoundPath | undefined> {
  return undefined
}
