import { Hono } from 'hono'
import type { FolderQuery } from '../../../../contract/folder.ts'
import { PAGE_ROWS, SEARCHED_NAMES } from '../../../../contract/limits.ts'
import { now, unixSeconds } from '../../../platform/clock.ts'
import { cutPage, pageCursor, parsePageKey } from '../../../platform/d1/page-key.ts'
import type { AppEnv } from '../../../platform/http/app-env.ts'
import { AppError, invalidField } from '../../../platform/http/errors.ts'
import { BODY_LIMIT } from '../../../platform/http/read-body.ts'
import { parseAs, readRequest } from '../../../platform/http/read-request.ts'
import { idempotent } from '../../auth/idempotency/idempotent.ts'
import { requireToken } from '../../auth/require-token.ts'
import { changeFolder, noFolder } from '../change-label.ts'
import { createFolder } from '../create-folder.ts'
import { linkKnownFiles } from '../link-known-files.ts'
import { requestFolderMerge } from '../merge/request-folder-merge.ts'
import {
  deleteEmptyFolder,
  type ListedFolder,
  selectFolders,
  selectFoldersByName,
  selectListedFolder,
} from '../sql/folders.ts'
import { answerMerge, readIndexOption } from './item.ts'

const schemas = () => import('../../../../contract/folder.ts')

/** /v0/folder: places for items, and what becomes a directory on IPFS. */
export const folder = new Hono<AppEnv>()

folder.post('/', requireToken('store'), idempotent(), async (c) => {
  const folder = await readRequest(c, BODY_LIMIT.account, schemas, 'NewFolder')
  const context = { db: c.env.DB, quotas: c.get('config').quotas }
  const id = await createFolder(context, c.get('caller').userId, folder, now())
  return c.json({ id }, 201)
})

folder.get('/', requireToken('store'), async (c) => {
  const page = await folderPage(c.env.DB, c.get('caller').userId, await parseAs(c.req.query(), schemas, 'FolderQuery'))
  return c.json({
    folders: page.folders.map(folderJson),
    ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
  })
})

folder.get('/:id', requireToken('store'), async (c) => {
  const found = await selectListedFolder(c.env.DB, c.get('caller').userId, c.req.param('id'))
  if (!found) throw noFolder()
  return c.json(folderJson(found))
})

folder.patch('/:id', requireToken('store'), async (c) => {
  const change = await readRequest(c, BODY_LIMIT.account, schemas, 'FolderChange')
  const { userId } = c.get('caller')
  return c.json(folderJson(await changeFolder(c.env.DB, userId, c.req.param('id'), change, now())))
})

folder.delete('/:id', requireToken('store'), async (c) => {
  const { userId } = c.get('caller')
  const id = c.req.param('id')
  if (await deleteEmptyFolder(c.env.DB, userId, id)) return c.body(null, 204)
  if (!(await selectListedFolder(c.env.DB, userId, id))) throw noFolder()
  throw new AppError(409, 'folder_not_empty', 'This folder has files or folders in it, or is merged. Empty it first.')
})

folder.post('/:id/known', requireToken('store'), async (c) => {
  const { files } = await readRequest(c, BODY_LIMIT.retrieval, schemas, 'OwnFiles')
  const context = { ...c.get('config'), db: c.env.DB }
  return c.json({ known: await linkKnownFiles(context, c.get('caller').userId, c.req.param('id'), files, now()) })
})

folder.post('/:id/merge', requireToken('store'), async (c) => {
  const { userId } = c.get('caller')
  const index = await readIndexOption(c)
  return answerMerge(c, await requestFolderMerge(c.env, c.get('config'), userId, c.req.param('id'), now(), index))
})

/**
 * A page of the caller's folders directly in `parent`, or, for `none` and without it, of those in none; newest first; with
 * `name` the first page of those that it finds, in any place.
 * @throws {AppError} 400.
 */
async function folderPage(
  db: D1Database,
  userId: string,
  { name, parent, cursor }: FolderQuery,
): Promise<{ folders: ListedFolder[]; cursor: string | undefined }> {
  if (name !== undefined) {
    if (parent !== undefined || cursor !== undefined)
      throw invalidField('name', 'cannot be combined with parent or cursor.')
    const folders = await selectFoldersByName(db, { userId, part: name, looked: SEARCHED_NAMES, limit: PAGE_ROWS })
    return { folders, cursor: undefined }
  }
  const parentId = parent === undefined || parent === 'none' ? undefined : parent
  const query = { userId, parentId, after: parsePageKey(cursor), limit: PAGE_ROWS + 1 }
  const page = cutPage(await selectFolders(db, query), pageCursor)
  return { folders: page.shown, cursor: page.cursor }
}

/** A folder as the API answers it; `createdAt` in Unix seconds. */
function folderJson({ id, name, blockchain, parentId, item, items, createdAt }: ListedFolder) {
  return { id, name, blockchain, parent: parentId, item, items, createdAt: unixSeconds(createdAt) }
}
