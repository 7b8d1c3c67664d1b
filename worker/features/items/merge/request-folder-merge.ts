import PQueue from 'p-queue'
import { MAX_DIRECTORY_FILES } from '../../../../contract/limits.ts'
import { DIRECTORY } from '../../../../contract/media-type.ts'
import { objectId } from '../../../../protocol/object-id.ts'
import type { Env } from '../../../platform/bindings.ts'
import type { Config } from '../../../platform/config/config.ts'
import { AppError, notFound } from '../../../platform/http/errors.ts'
import { quotaRefusal } from '../../auth/quotas.ts'
import {
  type Folder,
  type FolderFile,
  selectDirectoryItemOf,
  selectFolderFiles,
  selectFolderTree,
  selectOwnFolder,
} from '../sql/folders.ts'
import { isUnpaid } from '../sql/item-state.ts'
import type { PublishedItem } from '../sql/items.ts'
import { insertDirectory } from '../sql/move-items.ts'
import { ITEMS_USED } from '../sql/used.ts'
import { type DirectoryPaths, directoryPaths } from './directory-paths.ts'
import { requireIndexOffered } from './index-option.ts'
import type { Limits } from './merge-limits.ts'
import { missingChunks, requestMerge } from './request-merge.ts'

/** Files whose chunks are listed at a time; a Worker has six connections. */
const LISTINGS = 6

/**
 * Merges the caller's folder into one directory, one item: the same one for repeated requests.
 * @throws {AppError} 404, 409 for what has to be put right first, 422 when it is too large, or its target has no index.
 */
export async function requestFolderMerge(
  env: Env,
  config: Pick<Config, 'quotas'> & Limits,
  userId: string,
  folderId: string,
  now: number,
  index?: boolean,
): Promise<PublishedItem> {
  const folder = await selectOwnFolder(env.DB, userId, folderId)
  if (!folder) throw notFound('You have no folder with this id.')
  const id = (await selectDirectoryItemOf(env.DB, [folderId])) ?? (await makeDirectory(env, config, folder, now, index))
  return await requestMerge(env, config, userId, id, now, { index })
}

async function makeDirectory(
  env: Env,
  config: Pick<Config, 'quotas'> & Limits,
  folder: Folder,
  now: number,
  index: boolean | undefined,
): Promise<string> {
  requireIndexOffered(folder.blockchain, index, config)
  const tree = await selectFolderTree(env.DB, folder.id)
  const folderIds = tree.map(({ id }) => id)
  const files = await selectFolderFiles(env.DB, folderIds, MAX_DIRECTORY_FILES + 1)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  checkFiles(folder, files, size, config)
  await checkChunks(env.BUCKET, files, requirePaths(directoryPaths(folder.id, tree, files)))
  const id = objectId(now)
  const { userId, parentId: folderId, name, blockchain } = folder
  const place = { id, userId, folderId, directoryOf: folder.id, blockchain, name }
  const directory = { ...place, mimetype: DIRECTORY, size, createdAt: now, index }
  const fileIds = files.map((file) => file.id)
  if (await insertDirectory(env.DB, directory, folderIds, fileIds, config.quotas.merges)) return id
  const other = await selectDirectoryItemOf(env.DB, [folder.id])
  if (other) return other
  const refusal = await quotaRefusal(env.DB, userId, ITEMS_USED, config.quotas, { merges: 1 })
  if (refusal) throw refusal
  throw new AppError(409, 'folder_changed', 'The folder changed, or a file in it waits for a payment. Try again.')
}

function checkFiles({ blockchain }: Folder, files: readonly FolderFile[], size: number, config: Limits): void {
  if (files.length === 0) throw new AppError(409, 'folder_empty', 'There is no file in this folder yet.')
  if (files.length > MAX_DIRECTORY_FILES) {
    throw new AppError(
      422,
      'too_many_files',
      `A folder may have at most ${MAX_DIRECTORY_FILES} files when it is merged.`,
    )
  }
  const onChain = blockchain !== 'IPFS'
  const most = onChain ? Math.min(config.maxItemBytes, config.maxDecodedBytes) : config.maxItemBytes
  if (size > most) {
    const advice = onChain && size <= config.maxItemBytes ? ' IPFS would take them.' : ''
    const message = `The files have ${size} bytes together; ${most} is the limit on ${blockchain}.${advice}`
    throw new AppError(422, 'content_too_large', message)
  }
  const busy = files.find((file) => file.state === 'merging')
  if (busy) throw new AppError(409, 'merging', `The file "${busy.name}" is being merged. Try again when it is done.`)
  const taken = files.find((file) => file.partOf || file.directoryOf || !isUnpaid(file.state))
  if (taken) {
    throw new AppError(409, 'file_taken', `"${taken.name}" is paid for, or part of another directory, already.`)
  }
  // What is merged for a chain is Brotli: the file itself is not stored.
  const merged = onChain && files.find((file) => file.state !== 'uploading')
  if (merged) {
    const message = `"${merged.name}" is merged as a file of its own already. Delete it, and upload it again.`
    throw new AppError(409, 'file_taken', message)
  }
}

function requirePaths(outcome: DirectoryPaths): Map<string, string> {
  if ('paths' in outcome) return outcome.paths
  throw new AppError(409, 'names_collide', `Two things in this folder are called "${outcome.collision}". Delete one.`)
}

async function checkChunks(bucket: R2Bucket, files: readonly FolderFile[], paths: Map<string, string>): Promise<void> {
  const missing: { id: string; path: string; chunks: number[] }[] = []
  const listings = new PQueue({ concurrency: LISTINGS })
  const listFile = async (file: FolderFile): Promise<void> => {
    const chunks = await missingChunks(bucket, file)
    if (chunks.length > 0) missing.push({ id: file.id, path: paths.get(file.id) ?? file.name, chunks })
  }
  await listings.addAll(files.map((file) => () => listFile(file)))
  if (missing.length === 0) return
  const named = missing.map((file) => `${file.path} (${file.chunks.slice(0, 3).join(', ')})`)
  const message = `Upload the missing chunks first: ${named.slice(0, 3).join('; ')}${named.length > 3 ? '; …' : ''}.`
  throw new AppError(409, 'chunks_missing', message, { details: { missing } })
}
